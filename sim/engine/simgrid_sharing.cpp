#include "sim/engine/simgrid_sharing.h"

#include <algorithm>
#include <utility>

namespace rackwright::engine {

SimGridSharing::SimGridSharing() : platform_(SimGridPlatform::instance()), shelf_(platform_) {}

SimGridSharing::~SimGridSharing() {
  for (Flow& flow : flows_) withdraw(flow);
  end_transfers();
}

void SimGridSharing::add_link(double bandwidth) { links_.push_back({bandwidth, nullptr, false}); }

void SimGridSharing::set_bandwidth(LinkId id, double bandwidth) {
  Link& link = links_[id.value];
  link.bandwidth = bandwidth;
  if (!std::exchange(link.is_new_bandwidth, true)) new_bandwidths_.push_back(id);
}

void SimGridSharing::start(std::uint32_t id, std::span<const LinkId> path, double rate_cap) {
  if (id >= flows_.size()) flows_.resize(id + 1);
  Flow& flow = flows_[id];
  flow.path.assign(path.begin(), path.end());
  flow.rate_cap = rate_cap;
  flow.count = 1;
  flow.rate = -1;
  flow.position = active_.size();
  active_.push_back(id);
  to_start_.push_back(id);
}

void SimGridSharing::resize(std::uint32_t id, std::uint32_t count) {
  Flow& flow = flows_[id];
  flow.count = count;
  if (flow.transfer) flow.transfer->set_count(count, flow.rate_cap);
}

void SimGridSharing::end(std::uint32_t id) {
  Flow& flow = flows_[id];
  withdraw(flow);
  flow.path.clear();
  const std::uint32_t last = active_.back();
  active_[flow.position] = last;
  flows_[last].position = flow.position;
  active_.pop_back();
}

void SimGridSharing::withdraw(Flow& flow) {
  if (flow.transfer) ending_.push_back(std::move(flow.transfer));
}

bool SimGridSharing::is_up(const Flow& flow) const {
  return std::ranges::all_of(flow.path, [this](LinkId link) { return links_[link.value].bandwidth > 0; });
}

void SimGridSharing::settle(std::vector<Rate>& changes) {
  // A bandwidth of 0 does not hold SimGrid's flows back: those over a link that is down are kept out of it.
  if (!new_bandwidths_.empty())
    for (const std::uint32_t id : active_) {
      Flow& flow = flows_[id];
      if (!is_up(flow)) withdraw(flow);
      else if (!flow.transfer) to_start_.push_back(id);
    }
  end_transfers();
  change_bandwidths();
  start_transfers();
  platform_.solve();
  for (const std::uint32_t id : active_) {
    Flow& flow = flows_[id];
    const double rate = flow.transfer ? flow.transfer->rate() / flow.count : 0;
    if (rate == flow.rate) continue;
    flow.rate = rate;
    changes.push_back({id, rate});
  }
}

void SimGridSharing::end_transfers() {
  if (ending_.empty()) return;
  for (const auto& transfer : ending_) transfer->cancel();
  platform_.bury();
  ending_.clear();
}

void SimGridSharing::change_bandwidths() {
  for (const LinkId id : new_bandwidths_) {
    Link& link = links_[id.value];
    link.is_new_bandwidth = false;
    if (link.link && link.bandwidth > 0) platform_.set_bandwidth(*link.link, link.bandwidth);
  }
  new_bandwidths_.clear();
}

void SimGridSharing::start_transfers() {
  for (const std::uint32_t id : to_start_) {
    Flow& flow = flows_[id];
    if (flow.path.empty() || flow.transfer || !is_up(flow)) continue;  // Over already, listed twice, or not now.
    path_.clear();
    for (const LinkId link_id : flow.path) {
      Link& link = links_[link_id.value];
      if (!link.link) link.link = shelf_.make_link(link_id.value, link.bandwidth);
      path_.push_back(link.link);
    }
    flow.transfer = platform_.start_transfer(path_, flow.rate_cap);
    if (flow.count > 1) flow.transfer->set_count(flow.count, flow.rate_cap);
  }
  to_start_.clear();
}

}  // namespace rackwright::engine

/// What `load_simgrid_sharing` looks for in the module.
extern "C" rackwright::engine::LinkSharing* rackwright_make_simgrid_sharing() {
  return new rackwright::engine::SimGridSharing();
}
