#include "sim/fabric/device_fabric.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/invariant.h"
#include "models/base/saturating.h"

namespace rackwright::fabric {

using namespace topologies;
using engine::Phase;

/// One flow of a transfer.
struct DeviceFabric::Part {
  std::uint32_t transfer = 0;
  double bytes = 0;
  double rate_cap = 0;
  double told_rate = 0;
  std::vector<engine::LinkId> ports;
  engine::EventId event;  ///< Until it starts.
  SimTime since;          ///< When it started, inside a domain or node.
  engine::FlowId flow;    ///< Inside a domain or node.
  TransferId over_network;
};

struct DeviceFabric::Transfer {
  Reach reach = Reach::none;
  std::uint32_t entity = 0;
  DeviceTransferHandler* handler = nullptr;
  std::uint64_t token = 0;
  double told_rate = -1;
  std::vector<std::uint32_t> parts;
};

namespace {

/// The class of a link by its ends.
std::string class_of(const Topology& topology, const Link& link) {
  const Vertex& from = topology[link.from];
  const Vertex& to = topology[link.to];
  if (from.kind == VertexKind::scale_up_switch || to.kind == VertexKind::scale_up_switch) return "scale-up";
  if (link.kind == LinkKind::pcie || link.kind == LinkKind::c2c || link.kind == LinkKind::socket) return "host";
  if (from.kind == VertexKind::accelerator && to.kind == VertexKind::accelerator) return "torus";
  if (from.name.starts_with("join") || to.name.starts_with("join")) return "join";
  if (from.kind != VertexKind::network_switch || to.kind != VertexKind::network_switch) return "nic";
  return "tier " + std::to_string(std::min(from.tier, to.tier)) + "-" + std::to_string(std::max(from.tier, to.tier));
}

/// Inside a domain or node, bytes leave by one device's link and come in by another's, and no path is in the network.
struct LocalClass {
  const char* name;
  Reach reach;
};
constexpr std::array local_classes{LocalClass{"scale-up", Reach::scale_up}, LocalClass{"host", Reach::host}};

}  // namespace

DeviceFabric::DeviceFabric(engine::Engine& engine, const DevicePaths& paths, const FabricParameters& parameters)
    : engine_(engine), paths_(paths), fabric_(engine, paths.network(), parameters) {}
DeviceFabric::~DeviceFabric() = default;

double DeviceFabric::sm_share(const DeviceSet& set, cost::TransferMechanism mechanism, int sms_of_device) const {
  if (sms_of_device <= 0) return 0;
  return std::min(1.0, static_cast<double>(paths_.mechanism(set.group, mechanism).sms) / sms_of_device);
}

engine::LinkId DeviceFabric::port(const PortKey& key) {
  const auto known = ports_.find(key);
  if (known != ports_.end()) return known->second;
  return ports_.emplace(key, engine_.add_link(paths_.port_bandwidth(key.set, key.reach))).first->second;
}

// ---- transfers

DeviceTransferId DeviceFabric::start(const DeviceTransfer& transfer, std::uint32_t entity, DeviceTransferHandler& handler,
                                     std::uint64_t token) {
  const Reach reach = paths_.reach(transfer.from, transfer.to);
  invariant(reach != Reach::none, "whoever starts a transfer has seen that there is a way");
  const cost::TransferTerms whole = paths_.terms(transfer, reach);
  const std::uint64_t id = transfers_.insert({});
  const std::uint32_t slot = transfers_.slot_of(id);
  Transfer& added = transfers_[slot];
  added.reach = reach;
  added.entity = entity;
  added.handler = &handler;
  added.token = token;

  std::vector<engine::LinkId> ports;
  for (const bool outwards : {true, false})
    if (const DeviceSet& set = outwards ? transfer.from : transfer.to; paths_.port_bandwidth(set, reach) > 0)
      ports.push_back(port({set, reach, outwards}));
  const bool is_local = reach == Reach::scale_up || reach == Reach::host;
  const std::vector<DevicePaths::Ends> ends = is_local ? std::vector<DevicePaths::Ends>(1) : paths_.ends(transfer, reach);
  const double parts = static_cast<double>(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::uint32_t part_slot = parts_.slot_of(parts_.insert({}));
    added.parts.push_back(part_slot);
    Part& part = parts_[part_slot];
    part.transfer = slot;
    part.bytes = transfer.bytes / parts;
    part.rate_cap = std::isfinite(whole.bytes_per_s) ? whole.bytes_per_s / parts : 0;
    part.ports = ports;
    if (is_local) {
      part.event = engine_.at(saturating_sum(engine_.now(), sim_time(whole.start_s)), Phase::transfer, entity, *this, part_slot);
      continue;
    }
    part.over_network = fabric_.start({ends[i].from, ends[i].to, part.bytes, part.rate_cap, transfer.flow, whole.start_s, ports, handler.reports()}, entity, *this, part_slot);
  }
  return {id};
}

/// The start of a flow inside a domain or node has passed.
void DeviceFabric::on_event(std::uint64_t slot) {
  Part& part = parts_[static_cast<std::uint32_t>(slot)];
  part.event = {};
  part.since = engine_.now();
  const Transfer& transfer = transfers_[part.transfer];
  part.flow = engine_.start_flow({part.ports, part.bytes, part.rate_cap, transfer.handler->reports()}, transfer.entity, *this, slot);
}

bool DeviceFabric::cancel(DeviceTransferId id) {
  Transfer* transfer = transfers_.find(id.value);
  if (!transfer) return false;
  for (const std::uint32_t slot : transfer->parts) {
    const Part& part = parts_[slot];
    count_bytes(transfer->reach, part, part.bytes - bytes_left_of(part));
    engine_.cancel(part.event);
    engine_.cancel_flow(part.flow);
    fabric_.cancel(part.over_network);
    parts_.erase(slot);
  }
  transfers_.erase(transfers_.slot_of(id.value));
  return true;
}

double DeviceFabric::rate(DeviceTransferId id) const {
  const Transfer* transfer = transfers_.find(id.value);
  double sum = 0;
  if (transfer)
    for (const std::uint32_t slot : transfer->parts) sum += engine_.flow_rate(parts_[slot].flow) + fabric_.rate(parts_[slot].over_network);
  return sum;
}

double DeviceFabric::bytes_left(DeviceTransferId id) const {
  const Transfer* transfer = transfers_.find(id.value);
  double sum = 0;
  if (!transfer) return sum;
  for (const std::uint32_t slot : transfer->parts) {
    sum += bytes_left_of(parts_[slot]);
  }
  return sum;
}

double DeviceFabric::bytes_left_of(const Part& part) const {
  if (part.event.value != 0) return part.bytes;
  return engine_.flow_bytes_left(part.flow) + fabric_.bytes_left(part.over_network);
}

void DeviceFabric::on_transfer_done(TransferId, std::uint64_t slot) { finish_part(static_cast<std::uint32_t>(slot)); }
void DeviceFabric::on_flow_done(engine::FlowId, std::uint64_t slot) { finish_part(static_cast<std::uint32_t>(slot)); }

void DeviceFabric::finish_part(std::uint32_t slot) {
  const std::uint32_t transfer_slot = parts_[slot].transfer;
  Transfer& transfer = transfers_[transfer_slot];
  count_bytes(transfer.reach, parts_[slot], parts_[slot].bytes);
  parts_.erase(slot);
  std::erase(transfer.parts, slot);
  if (!transfer.parts.empty()) return tell_rate(transfer_slot);
  const DeviceTransferId id{transfers_.id_of(transfer_slot)};
  DeviceTransferHandler& handler = *transfer.handler;
  const std::uint64_t token = transfer.token;
  transfers_.erase(transfer_slot);
  handler.on_device_transfer_done(id, token);
}

void DeviceFabric::on_transfer_rate(TransferId, std::uint64_t slot, double rate) { change_rate(static_cast<std::uint32_t>(slot), rate); }
void DeviceFabric::on_flow_rate(engine::FlowId, std::uint64_t slot, double rate) { change_rate(static_cast<std::uint32_t>(slot), rate); }

void DeviceFabric::change_rate(std::uint32_t slot, double rate) {
  parts_[slot].told_rate = rate;
  tell_rate(parts_[slot].transfer);
}

void DeviceFabric::tell_rate(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  double sum = 0;
  for (const std::uint32_t part : transfer.parts) sum += parts_[part].told_rate;
  if (sum == transfer.told_rate) return;
  transfer.told_rate = sum;
  transfer.handler->on_device_transfer_rate({transfers_.id_of(slot)}, transfer.token, sum);
}

// ---- figures

std::vector<LinkClassLoad> DeviceFabric::loads() const {
  const Topology& topology = paths_.network();
  std::map<std::string, LinkClassLoad> classes;
  for (std::uint32_t index = 0; index < topology.links().size(); ++index) {
    const Link& link = topology.links()[index];
    LinkClassLoad& load = classes[class_of(topology, link)];
    load.bytes_per_s += link.bandwidth;
    load.bytes += fabric_.carried_bytes({index});
  }
  for (const LocalClass& local : local_classes)
    if (const auto found = classes.find(local.name); found != classes.end()) found->second.bytes += 2 * bytes_over(local.reach);
  std::vector<LinkClassLoad> result;
  for (auto& [name, load] : classes) {
    load.name = name;
    result.push_back(std::move(load));
  }
  return result;
}

void DeviceFabric::watch(TrafficWatcher& watcher) {
  const std::vector<LinkClassLoad> classes = loads();
  const auto index_of = [&](const std::string& name) {
    return static_cast<std::uint32_t>(std::ranges::find(classes, name, &LinkClassLoad::name) - classes.begin());
  };
  const Topology& topology = paths_.network();
  for (const Link& link : topology.links()) class_of_link_.push_back(index_of(class_of(topology, link)));
  for (std::size_t i = 0; i < local_classes.size(); ++i) local_class_[i] = index_of(local_classes[i].name);
  carried_.assign(classes.size(), 0);
  watcher_ = &watcher;
  fabric_.watch(*this);
}

void DeviceFabric::on_carried(std::span<const LinkIndex> links, double bytes, SimTime from, SimTime to) {
  for (const LinkIndex link : links) carried_[class_of_link_[link.value]] += bytes;
  for (std::size_t i = 0; i < carried_.size(); ++i)
    if (carried_[i] > 0) watcher_->on_traffic(i, std::exchange(carried_[i], 0), from, to);
}

/// Bytes that one flow of a transfer moved, all of it or as far as it came.
void DeviceFabric::count_bytes(Reach reach, const Part& part, double bytes) {
  bytes_over_[static_cast<std::size_t>(reach)] += bytes;
  if (!watcher_ || bytes <= 0) return;
  for (std::size_t i = 0; i < local_classes.size(); ++i)
    if (local_classes[i].reach == reach && local_class_[i] < carried_.size()) watcher_->on_traffic(local_class_[i], 2 * bytes, part.since, engine_.now());
}

}  // namespace rackwright::fabric
