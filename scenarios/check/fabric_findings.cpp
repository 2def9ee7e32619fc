#include "scenarios/check/fabric_findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/check/scale_up_plan.h"
#include "scenarios/schema/fabric.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

using cost::TransferMechanism;
using topologies::Reach;

/// One way that something of the run takes.
struct Use {
  Reach reach = Reach::none;
  TransferMechanism mechanism = TransferMechanism::rdma;
  int from_group = 0;
  int to_group = 0;
  bool is_kv = false;
};

/// A tensor group lies in several domains, or experts do.
bool has_wide_group(const ScenarioSpec& scenario, bool (*counts)(const PoolSpec&, const RackGroupSpec&)) {
  return std::ranges::any_of(scenario.pools, [&](const PoolSpec& pool) { return counts(pool, scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)]); });
}

bool sums_between_domains(const PoolSpec& pool, const RackGroupSpec& racks) {
  return leaves_scale_up_domain(pool, racks) && pool.parallelism.tensor > racks.scale_up_devices;
}

std::vector<Use> uses_of(const ScenarioSpec& scenario, const FabricPlan& fabric) {
  std::vector<Use> uses;
  for (const ConnectionPlan& plan : fabric.connections) {
    const PoolSpec& from = scenario.pools[plan.connection.from];
    const PoolSpec& to = scenario.pools[plan.connection.to];
    for (int a = 0; a < from.instances; ++a) {
      for (int b = 0; b < to.instances; ++b) {
        const topologies::DeviceSet source = device_set(from, a);
        const topologies::DeviceSet target = device_set(to, b);
        const TransferMechanism mechanism = plan.connection.mechanism.value_or(fabric.paths->default_mechanism(source, target));
        const Use use{fabric.paths->reach(source, target), mechanism, source.group, target.group, from.role == PoolRole::prefill};
        const auto is_same = [&](const Use& one) { return one.reach == use.reach && one.mechanism == use.mechanism && one.is_kv == use.is_kv && one.from_group == use.from_group && one.to_group == use.to_group; };
        if (std::ranges::none_of(uses, is_same)) uses.push_back(use);
      }
    }
  }
  if (has_wide_group(scenario, leaves_scale_up_domain)) uses.push_back({Reach::scale_out, TransferMechanism::rdma});
  return uses;
}

class IdleParts {
 public:
  IdleParts(const v1::Fabric& written, const ScenarioSpec& scenario, const FabricPlan& fabric, Findings& findings)
      : written_(written), scenario_(scenario), uses_(uses_of(scenario, fabric)), findings_(findings) {}

  void warn() {
    if (uses_.empty()) return idle("fabric", "no pools send to each other, and no instance lies on several nodes");
    const v1::ScaleOut& scale_out = written_.scale_out();
    const bool has_flows = used([](const Use& use) { return use.reach == Reach::scale_out || use.reach == Reach::torus; });
    if (written_.has_scale_out() && !has_flows) idle("fabric.scale_out", "nothing is sent over it");
    if (scale_out.in_network_reduction() && has_flows && !has_wide_group(scenario_, sums_between_domains))
      idle("fabric.scale_out.in_network_reduction", "no tensor group lies on several nodes");
    if (scale_out.has_reroute_delay() && has_flows) idle("fabric.scale_out.reroute_delay", "nothing fails");
    for (int i = 0; i < written_.join_size(); ++i) warn_of_join(i);
    const v1::Mechanisms& mechanisms = written_.mechanisms();
    if (mechanisms.has_copy_engine()) warn_of_mechanism(mechanisms.copy_engine(), TransferMechanism::copy_engine, "copy_engine");
    if (mechanisms.has_sm_stores()) warn_of_mechanism(mechanisms.sm_stores(), TransferMechanism::sm_stores, "sm_stores");
    if (mechanisms.has_tma()) warn_of_mechanism(mechanisms.tma(), TransferMechanism::tma, "tma");
    if (mechanisms.has_rdma()) warn_of_mechanism(mechanisms.rdma(), TransferMechanism::rdma, "rdma");
    if (mechanisms.has_tcp()) warn_of_mechanism(mechanisms.tcp(), TransferMechanism::tcp, "tcp");
  }

 private:
  template <typename Rule>
  bool used(const Rule& rule) const { return std::ranges::any_of(uses_, rule); }

  void idle(const std::string& path, const std::string& why) { findings_.warning(path, fmt::format("no effect: {}, because {}", path, why)); }

  void warn_of_join(int i) {
    const auto from = scenario_.hall.find(written_.join(i).from());
    const auto to = scenario_.hall.find(written_.join(i).to());
    const auto takes_it = [&](const Use& use) {
      return use.reach == Reach::join && ((use.from_group == from && use.to_group == to) || (use.from_group == to && use.to_group == from));
    };
    if (!used(takes_it)) idle(fmt::format("fabric.join[{}]", i), "nothing is sent over it");
  }

  void warn_of_mechanism(const v1::MechanismFigures& figures, TransferMechanism mechanism, const char* name) {
    const std::string path = fmt::format("fabric.mechanisms.{}", name);
    if (!used([&](const Use& use) { return use.mechanism == mechanism; })) return idle(path, "nothing is sent by it");
    if (figures.has_sms() && !used([&](const Use& use) { return use.mechanism == mechanism && use.is_kv; })) idle(path + ".sms", "only KV on its way takes multiprocessors");
  }

  const v1::Fabric& written_;
  const ScenarioSpec& scenario_;
  const std::vector<Use> uses_;
  Findings& findings_;
};

}  // namespace

void warn_of_idle_fabric(const v1::Fabric& written, const ScenarioSpec& scenario, const FabricPlan& fabric, Findings& findings) {
  IdleParts(written, scenario, fabric, findings).warn();
}

}  // namespace rackwright::scenarios
