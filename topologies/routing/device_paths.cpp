#include "topologies/routing/device_paths.h"

#include <algorithm>
#include <limits>

#include "topologies/routing/router.h"

namespace rackwright::topologies {

using cost::TransferMechanism;
using cost::TransferSpec;
using cost::TransferTerms;

namespace {

constexpr std::array<std::string_view, reach_count + 1> reach_names{"scale-up", "host", "torus", "scale-out", "join", "none"};

int node_of(const HallGroup& group, int device) { return device / group.parameters.devices_per_node; }
int last(const DeviceSet& set) { return set.first + set.count - 1; }
int nodes_of(const HallGroup& group, const DeviceSet& set) { return node_of(group, last(set)) - node_of(group, set.first) + 1; }

/// Whether one block of `size` devices holds both sets.
bool in_one_block(const DeviceSet& a, const DeviceSet& b, int size) {
  return a.first / size == last(a) / size && a.first / size == b.first / size && b.first / size == last(b) / size;
}

}  // namespace

std::string_view to_string(Reach reach) { return reach_names[static_cast<std::size_t>(reach)]; }

DevicePaths::DevicePaths(const Hall& hall, std::vector<MechanismTable> mechanisms, FlowGrouping grouping,
                         std::vector<TransferMechanism> join_mechanisms)
    : hall_(hall), mechanisms_(std::move(mechanisms)), join_mechanisms_(std::move(join_mechanisms)) {
  join_mechanisms_.resize(hall.joins.size(), TransferMechanism::rdma);
  if (grouping != FlowGrouping::bundled) return;
  constexpr std::array across{DomainKind::rail};
  bundle_ = bundle(hall.topology, across);
}

Reach DevicePaths::reach(const DeviceSet& from, const DeviceSet& to) const {
  const HallGroupParameters& p = group(from.group).parameters;
  if (from.group == to.group) {
    if (p.torus) return Reach::torus;
    if (p.scale_up_bandwidth > 0 && p.island_devices > 1 && in_one_block(from, to, p.island_devices)) return Reach::scale_up;
    if (p.host_bandwidth > 0 && in_one_block(from, to, p.devices_per_node)) return Reach::host;
  }
  if (join_between(from.group, to.group)) return Reach::join;
  const auto has_nics = [&](const DeviceSet& set) {
    return !group(set.group).nics[static_cast<std::size_t>(node_of(group(set.group), set.first))].empty();
  };
  return has_nics(from) && has_nics(to) ? Reach::scale_out : Reach::none;
}

TransferMechanism DevicePaths::default_mechanism(const DeviceSet& from, const DeviceSet& to) const {
  const Reach reach = this->reach(from, to);
  if (reach == Reach::join) return join_mechanisms_[static_cast<std::size_t>(join_between(from.group, to.group) - hall_.joins.data())];
  return reach == Reach::scale_up || reach == Reach::host ? TransferMechanism::copy_engine : TransferMechanism::rdma;
}

bool DevicePaths::works(TransferMechanism mechanism, Reach reach) {
  if (reach == Reach::torus) return true;
  const bool is_local = reach == Reach::scale_up || reach == Reach::host;
  return is_local || !cost::is_device_initiated(mechanism);
}

const TransferSpec& DevicePaths::mechanism(int group, TransferMechanism mechanism) const {
  return mechanisms_[static_cast<std::size_t>(group)][static_cast<std::size_t>(mechanism)];
}

const HallJoin* DevicePaths::join_between(int from, int to) const {
  for (const HallJoin& join : hall_.joins) {
    const HallJoinParameters& p = join.parameters;
    if ((p.from == from && p.to == to) || (p.from == to && p.to == from)) return &join;
  }
  return nullptr;
}

double DevicePaths::port_bandwidth(const DeviceSet& set, Reach reach) const {
  const HallGroupParameters& p = group(set.group).parameters;
  switch (reach) {
    case Reach::scale_up: return set.count * p.scale_up_bandwidth;
    case Reach::host: return set.count * p.host_bandwidth;
    case Reach::scale_out: return p.nics_per_node * p.nic_bandwidth * std::min<double>(1.0 * set.count / p.devices_per_node, nodes_of(group(set.group), set));
    case Reach::join: return set.count * p.host_bandwidth;
    case Reach::torus:
    case Reach::none: break;
  }
  return 0;
}

TransferTerms DevicePaths::terms(const DeviceTransfer& transfer, Reach reach) const {
  const TransferMechanism mechanism = transfer.mechanism.value_or(default_mechanism(transfer.from, transfer.to));
  const double narrow = std::min(transfer.from.count, transfer.to.count);
  TransferTerms whole{0, std::numeric_limits<double>::infinity()};
  for (const DeviceSet* set : {&transfer.from, &transfer.to}) {
    const HallGroup& at = group(set->group);
    const TransferSpec& spec = this->mechanism(set->group, mechanism);
    double link = port_bandwidth(*set, reach) / set->count;
    if (reach == Reach::torus) link = at.parameters.torus->link_bandwidth;
    if (reach == Reach::join) {
      const HallJoinParameters& join = join_between(transfer.from.group, transfer.to.group)->parameters;
      link = std::max(1, join.links / at.parameters.nodes()) * join.bandwidth * nodes_of(at, *set) / set->count;
    }
    const TransferTerms one = cost::transfer_terms(spec, transfer.bytes / narrow, link);
    whole.start_s = std::max(whole.start_s, one.start_s);
    whole.bytes_per_s = std::min(whole.bytes_per_s, one.bytes_per_s * set->count);
    if (spec.node_bytes_per_s > 0) whole.bytes_per_s = std::min(whole.bytes_per_s, spec.node_bytes_per_s * nodes_of(at, *set));
    // A measured start has the way in it.
    if (reach == Reach::scale_up && set == &transfer.from && spec.curve.empty()) whole.start_s += at.parameters.scale_up_latency_s;
  }
  if (transfer.rate_cap > 0) whole.bytes_per_s = std::min(whole.bytes_per_s, transfer.rate_cap);
  return whole;
}

/// One end for each device and card of its own; devices that share a card have it each.
void DevicePaths::add_lanes(const DeviceSet& set, Reach reach, const HallJoin* join, std::vector<VertexIndex>& lanes) const {
  const HallGroup& at = group(set.group);
  const int per_node = at.parameters.devices_per_node;
  for (int device = set.first; device <= last(set); ++device) {
    const auto node = static_cast<std::size_t>(node_of(at, device));
    if (reach == Reach::torus) {
      lanes.push_back(in_network(at.accelerators[static_cast<std::size_t>(device)]));
    } else if (join) {
      lanes.push_back(in_network((join->parameters.from == set.group ? join->from_ports : join->to_ports)[node]));
    } else {
      const std::vector<VertexIndex>& nics = at.nics[node];
      const int count = static_cast<int>(nics.size());
      const int place = device % per_node;
      const int first = place * count / per_node;
      const int end = std::max(first + 1, (place + 1) * count / per_node);
      for (int nic = first; nic < end; ++nic) lanes.push_back(in_network(nics[static_cast<std::size_t>(nic)]));
    }
  }
}

std::vector<DevicePaths::Ends> DevicePaths::ends(const DeviceTransfer& transfer, Reach reach) const {
  const HallJoin* join = reach == Reach::join ? join_between(transfer.from.group, transfer.to.group) : nullptr;
  std::vector<VertexIndex> from;
  std::vector<VertexIndex> to;
  add_lanes(transfer.from, reach, join, from);
  add_lanes(transfer.to, reach, join, to);
  std::vector<Ends> found;
  const std::size_t lanes = std::max(from.size(), to.size());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Ends pair{from[lane * from.size() / lanes], to[lane * to.size() / lanes]};
    if (std::ranges::find(found, pair) == found.end()) found.push_back(pair);
  }
  return found;
}

std::optional<double> DevicePaths::undisturbed_seconds(const DeviceTransfer& transfer) const {
  const Reach reach = this->reach(transfer.from, transfer.to);
  if (reach == Reach::none) return std::nullopt;
  TransferTerms whole = terms(transfer, reach);
  for (const DeviceSet* set : {&transfer.from, &transfer.to})
    if (const double port = port_bandwidth(*set, reach); port > 0) whole.bytes_per_s = std::min(whole.bytes_per_s, port);
  if (reach != Reach::scale_up && reach != Reach::host) {
    Router router(network(), {.choice = PathChoice::deterministic});
    Route route;
    const std::vector<Ends> pairs = ends(transfer, reach);
    double slowest = whole.bytes_per_s;
    double latency_s = 0;
    for (const Ends& pair : pairs) {
      if (!router.find({pair.from, pair.to, transfer.flow}, route)) return std::nullopt;
      if (!route.links.empty()) slowest = std::min(slowest, route.bandwidth * static_cast<double>(pairs.size()));
      latency_s = std::max(latency_s, route.latency_s);
    }
    whole.bytes_per_s = slowest;
    whole.start_s += latency_s;
  }
  return whole.start_s + transfer.bytes / whole.bytes_per_s;
}

}  // namespace rackwright::topologies
