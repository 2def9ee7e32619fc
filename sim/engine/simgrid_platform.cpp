#include "sim/engine/simgrid_platform.h"

#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>
#include <xbt/log.h>

#include "models/base/invariant.h"

namespace rackwright::engine {

namespace s4u = simgrid::s4u;
namespace kernel = simgrid::kernel;

namespace {

// More than any flow carries while SimGrid's clock stands still: communications end when we say so.
constexpr std::uint64_t endless_bytes = std::uint64_t{1} << 62;

// Share of a link's bandwidth below which SimGrid takes what remains of it for 0. By its default of 1e-5, the last
// of 200,000 flows on one link, the others capped just below their share, has none, and SimGrid aborts.
constexpr double solver_precision = 1e-9;

// SimGrid 4 renames create_… to add_…; nothing else that is used here is known to differ after 3.32.
constexpr auto make_host = [](auto& zone, const std::string& name) {
  if constexpr (requires { zone.add_host(name, std::vector<double>{1.0}); })
    return zone.add_host(name, std::vector<double>{1.0});
  else
    return zone.create_host(name, std::vector<double>{1.0});
};
constexpr auto make_link_in = [](auto& zone, const std::string& name, double bandwidth) {
  if constexpr (requires { zone.add_link(name, std::vector<double>{bandwidth}); })
    return zone.add_link(name, std::vector<double>{bandwidth});
  else
    return zone.create_link(name, std::vector<double>{bandwidth});
};

}  // namespace

/// Answers every question for a route with the path that is set.
class PathZone final : public kernel::routing::NetZoneImpl {
 public:
  explicit PathZone(const std::string& name) : NetZoneImpl(name) {}
  ~PathZone() override = default;

  void set_path(const std::vector<s4u::Link*>& path) {
    path_.clear();
    for (s4u::Link* link : path) path_.push_back(link->get_impl());
  }

 private:
  void get_local_route(const kernel::routing::NetPoint*, const kernel::routing::NetPoint*,
                       kernel::routing::Route* into, double*) override {
    into->link_list_ = path_;
  }

  std::vector<kernel::resource::StandardLinkImpl*> path_;
};

// ---- platform

SimGridPlatform& SimGridPlatform::instance() {
  static SimGridPlatform platform;
  return platform;
}

SimGridPlatform::SimGridPlatform() {
  xbt_log_control_set("root.thresh:warning");
  int argument_count = 1;
  char name[] = "rackwright";
  char* arguments[] = {name, nullptr};
  engine_ = new s4u::Engine(&argument_count, arguments);
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/optim:Lazy");
  s4u::Engine::set_config("network/crosstraffic", false);
  s4u::Engine::set_config("network/TCP-gamma", 0.0);
  s4u::Engine::set_config("maxmin/precision", solver_precision);

  zone_ = new PathZone("paths");
  // Later versions have a root from the start; in 3.32 the first zone is it.
  if (s4u::NetZone* root = engine_->get_netzone_root(); root->get_impl() != zone_) zone_->set_parent(root->get_impl());
  source_ = make_host(*zone_, "source");
  destination_ = make_host(*zone_, "destination");
  source_->seal();
  destination_->seal();
  zone_->seal();

  for (kernel::resource::Model* model : engine_->get_all_models())
    if (model->get_name() == "Network_CM02") network_ = model;
  invariant(network_ && network_->is_update_lazy(), "SimGrid did not take the network model CM02");
  invariant(!simgrid::config::get_value<bool>("network/crosstraffic"), "SimGrid did not turn cross-traffic off");
  invariant(simgrid::config::get_value<double>("network/TCP-gamma") == 0, "SimGrid did not turn the TCP window off");
}

void SimGridPlatform::set_bandwidth(s4u::Link& link, double bandwidth) { link.set_bandwidth(bandwidth); }

std::unique_ptr<SimGridTransfer> SimGridPlatform::start_transfer(const std::vector<s4u::Link*>& path,
                                                                 double rate_cap) {
  zone_->set_path(path);
  const s4u::CommPtr comm = s4u::Comm::sendto_init();
  comm->set_payload_size(endless_bytes);
  comm->set_source(source_);
  comm->set_destination(destination_);  // Starts it, since both ends and the size are known now.
  kernel::resource::Action& action = network_->get_started_action_set()->back();
  invariant(action.get_activity() == comm->get_impl(), "SimGrid's youngest action is not the transfer just started");
  action.set_bound(rate_cap > 0 ? rate_cap : -1);
  return std::make_unique<SimGridTransfer>(*comm, action);
}

void SimGridPlatform::solve() { network_->next_occurring_event(s4u::Engine::get_clock()); }

// One turn of SimGrid's main loop in which no time passes. It solves before it buries, so what is cancelled
// must be buried before anything else changes, or it would be solved twice.
void SimGridPlatform::bury() { engine_->run_until(s4u::Engine::get_clock()); }

// ---- transfers

SimGridTransfer::SimGridTransfer(s4u::Comm& comm, kernel::resource::Action& action) : comm_(comm), action_(action) {
  comm_.add_ref();
}

SimGridTransfer::~SimGridTransfer() { comm_.unref(); }

double SimGridTransfer::rate() const { return action_.get_rate(); }

// SimGrid shares in inverse proportion to the penalty.
void SimGridTransfer::set_count(std::uint32_t count, double rate_cap) {
  action_.set_sharing_penalty(1.0 / count);
  action_.set_bound(rate_cap > 0 ? rate_cap * count : -1);
}

void SimGridTransfer::cancel() { comm_.cancel(); }

// ---- links

SimGridLinkShelf::SimGridLinkShelf(SimGridPlatform& platform)
    : name_("shelf" + std::to_string(platform.shelves_++)), zone_(std::make_unique<PathZone>(name_)) {
  zone_->set_network_model(platform.zone_->get_network_model());
}

SimGridLinkShelf::~SimGridLinkShelf() = default;

s4u::Link* SimGridLinkShelf::make_link(std::uint32_t number, double bandwidth) {
  s4u::Link* link = make_link_in(*zone_, name_ + "/" + std::to_string(number), bandwidth);
  link->set_latency(0);
  link->seal();
  return link;
}

}  // namespace rackwright::engine
