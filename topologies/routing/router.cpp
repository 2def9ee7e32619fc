#include "topologies/routing/router.h"

#include <algorithm>
#include <limits>

#include "models/base/invariant.h"
#include "topologies/routing/flow_hash.h"
#include "topologies/routing/least_loaded.h"

namespace rackwright::topologies {

Router::Router(const Topology& topology, const RoutingParameters& parameters, const LinkLoads* loads)
    : topology_(topology), parameters_(parameters), loads_(loads), map_(topology), state_(topology), zones_(map_.zone_count()) {
  invariant(parameters.choice != PathChoice::least_loaded || loads != nullptr, "least_loaded needs loads");
}

bool Router::find(const RouteRequest& request, Route& route) {
  route.links.clear();
  const bool found = request.from == request.to || find_within(DomainKind::island, request, route.links) ||
                     find_within(DomainKind::host, request, route.links) || find_across(request, route.links);
  route.latency_s = 0;
  route.bandwidth = route.links.empty() ? 0 : std::numeric_limits<double>::infinity();
  route.rail_bandwidth = route.bandwidth;
  for (const LinkIndex index : route.links) {
    const Link& link = topology_[index];
    route.latency_s += link.latency_s;
    route.bandwidth = std::min(route.bandwidth, link.bandwidth);
    const bool is_network = link.kind == LinkKind::infiniband || link.kind == LinkKind::ethernet;
    route.rail_bandwidth = std::min(route.rail_bandwidth, is_network ? link.bandwidth / link.lanes : link.bandwidth);
  }
  return found;
}

bool Router::find_within(DomainKind kind, const RouteRequest& request, std::vector<LinkIndex>& links) {
  const DomainIndex domain = topology_[request.from].in(kind);
  if (domain == no_domain || topology_[request.to].in(kind) != domain) return false;
  return add_leg(map_.zone_inside(domain), request.from, request.to, request.flow, links);
}

/// From NIC to NIC over the fabric, with a leg inside each host. The target's own NIC comes first, and for it the
/// NICs of the sender in the order that the parameters ask for; the first pair that works is taken.
bool Router::find_across(const RouteRequest& request, std::vector<LinkIndex>& links) {
  const std::vector<VertexIndex> sources = ports_of(request.from, request.flow);
  for (const VertexIndex target : ports_of(request.to, request.flow)) {
    const Guide guide = zone(ZoneMap::fabric).guide(target);
    std::vector<VertexIndex> ordered = sources;
    const DomainIndex rail = topology_[target].in(DomainKind::rail);
    if (parameters_.nic == NicChoice::destination_rail && rail != no_domain)
      std::ranges::stable_partition(ordered, [&](VertexIndex nic) { return topology_[nic].in(DomainKind::rail) == rail; });
    for (const VertexIndex source : ordered) {
      if (guide.hops(source) >= Guide::unreachable) continue;
      links.clear();
      if (reach_nic(request, source, links) && add_leg(ZoneMap::fabric, source, target, request.flow, links) &&
          add_local_leg(target, request.to, request.flow, links))
        return true;
    }
  }
  links.clear();
  return false;
}

/// The leg from the sender to one NIC of its host: over the scale-up link to the accelerator that owns the NIC if the
/// rail asks for another's, else through the host.
bool Router::reach_nic(const RouteRequest& request, VertexIndex nic, std::vector<LinkIndex>& links) {
  const DomainIndex host = topology_[request.from].in(DomainKind::host);
  if (parameters_.nic == NicChoice::destination_rail && host != no_domain && nic != request.from) {
    const HostNics& nics = nics_of(host);
    const auto owner = nics.owner.find(nic.value);
    if (owner != nics.owner.end() && owner->second != request.from &&
        find_within(DomainKind::island, {request.from, owner->second, request.flow}, links)) {
      if (add_local_leg(owner->second, nic, request.flow, links)) return true;
      links.clear();
    }
  }
  return add_local_leg(request.from, nic, request.flow, links);
}

/// Between an endpoint and a NIC of its host: through the host or, where NICs hang at accelerators (a wafer), the island.
bool Router::add_local_leg(VertexIndex from, VertexIndex to, std::uint64_t flow, std::vector<LinkIndex>& links) {
  if (from == to) return true;
  for (const DomainKind kind : {DomainKind::host, DomainKind::island})
    for (const VertexIndex end : {from, to})
      if (topology_[end].in(kind) != no_domain && add_leg(map_.zone_inside(topology_[end].in(kind)), from, to, flow, links)) return true;
  return false;
}

/// Where a transfer can leave or enter the fabric for `endpoint`, best first.
std::vector<VertexIndex> Router::ports_of(VertexIndex endpoint, std::uint64_t flow) {
  const Vertex& vertex = topology_[endpoint];
  const bool on_fabric = map_.zone_of(endpoint) == ZoneMap::fabric ||
                         std::ranges::any_of(topology_.out_links(endpoint), [&](LinkIndex link) {
                           return map_.zone_of(topology_[link].to) == ZoneMap::fabric && (state_.usable(link) || state_.usable(reverse(link)));
                         });
  if (on_fabric || vertex.kind == VertexKind::nic || vertex.in(DomainKind::host) == no_domain) return {endpoint};
  const HostNics& nics = nics_of(vertex.in(DomainKind::host));
  const auto known = nics.of.find(endpoint.value);
  if (known == nics.of.end()) return {};
  std::vector<VertexIndex> ports = known->second;
  // An accelerator owns its NIC; everything else spreads its flows over the host's.
  if (vertex.kind != VertexKind::accelerator && parameters_.choice != PathChoice::deterministic && !ports.empty())
    std::ranges::rotate(ports, ports.begin() + static_cast<std::ptrdiff_t>(hashed_choice(flow, endpoint.value, ports.size())));
  return ports;
}

const Router::HostNics& Router::nics_of(DomainIndex host) {
  const auto [slot, is_new] = host_nics_.try_emplace(host.value);
  HostNics& nics = slot->second;
  if (!is_new) return nics;
  std::vector<VertexIndex> ports;
  for (const VertexIndex v : topology_.members(host))
    if (topology_[v].kind == VertexKind::nic) ports.push_back(v);
  // NICs at the same distance are dealt out: the second accelerator that has the same nearest ones owns the second.
  std::unordered_map<std::uint32_t, std::size_t> dealt;  // By the first of the nearest.
  for (const VertexIndex endpoint : topology_.members(host)) {
    if (topology_[endpoint].kind == VertexKind::nic) continue;
    std::vector<NicDistance> order = nic_distances(endpoint, ports);
    if (order.empty()) continue;
    if (topology_[endpoint].kind == VertexKind::accelerator) {
      const auto nearest = std::ranges::count(order, order.front().hops, &NicDistance::hops);
      const auto turn = static_cast<std::ptrdiff_t>(dealt[order.front().nic.value]++ % static_cast<std::size_t>(nearest));
      std::ranges::rotate(order.begin(), order.begin() + turn, order.begin() + nearest);
      nics.owner.try_emplace(order.front().nic.value, endpoint);
    }
    std::vector<VertexIndex>& own = nics.of[endpoint.value];
    for (const NicDistance& distance : order) own.push_back(distance.nic);
  }
  return nics;
}

/// The NICs that `endpoint` reaches inside its host or island, nearest first.
std::vector<Router::NicDistance> Router::nic_distances(VertexIndex endpoint, std::span<const VertexIndex> nics) {
  std::vector<NicDistance> order;
  for (const VertexIndex nic : nics) {
    int hops = Guide::unreachable;
    for (const DomainKind kind : {DomainKind::host, DomainKind::island})
      if (const ZoneId id = map_.zone_inside(topology_[endpoint].in(kind)); id != ZoneMap::none)
        hops = std::min(hops, zone(id).guide(nic).hops(endpoint));
    if (hops < Guide::unreachable) order.push_back({hops, nic});
  }
  std::ranges::sort(order);
  return order;
}

bool Router::add_leg(ZoneId id, VertexIndex from, VertexIndex to, std::uint64_t flow, std::vector<LinkIndex>& links) {
  if (from == to) return true;
  if (id == ZoneMap::none) return false;
  Zone& through = zone(id);
  const Guide guide = through.guide(to);
  if (guide.hops(from) >= Guide::unreachable) return false;
  if (parameters_.choice == PathChoice::least_loaded)
    walk_least_loaded(through, guide, from, flow, links);
  else
    walk(guide, from, flow, through.is_intact_grid(), links);
  return true;
}

void Router::walk(const Guide& guide, VertexIndex from, std::uint64_t flow, bool on_grid, std::vector<LinkIndex>& links) {
  std::uint64_t digits = target_digits(guide);
  Climb climb = Climb::up;
  std::vector<NextHop> hops;
  for (VertexIndex at = from; at != guide.target();) {
    guide.next_hops(at, climb, hops);
    invariant(!hops.empty(), "a vertex with a distance has a next hop");
    std::size_t choice = 0;
    if (parameters_.choice == PathChoice::ecmp) {
      choice = hashed_choice(flow, at.value, hops.size());
    } else if (on_grid) {
      // Lowest port first finishes one dimension before the next.
      const auto port = [&](const NextHop& hop) { return topology_[hop.link].from_port; };
      choice = static_cast<std::size_t>(std::ranges::min_element(hops, {}, port) - hops.begin());
    } else {
      choice = digits % hops.size();
      digits /= hops.size();
    }
    links.push_back(hops[choice].link);
    climb = hops[choice].climb;
    at = topology_[hops[choice].link].to;
  }
}

/// The target's number, leaf by leaf, whose digits choose among the switches above (d-mod-k).
std::uint64_t Router::target_digits(const Guide& guide) const {
  const VertexIndex target = guide.target();
  const std::span<const LinkIndex> out = topology_.out_links(target);
  if (out.empty()) return 0;
  const VertexIndex leaf = topology_[out.back()].to;
  std::uint64_t before = 0;
  std::uint64_t behind = 0;  // Targets on the same leaf.
  for (const LinkIndex link : topology_.out_links(leaf)) {
    const VertexIndex other = topology_[link].to;
    if (map_.zone_of(other) == map_.zone_of(leaf)) continue;
    before += other < target;
    ++behind;
  }
  return before + behind * map_.place(leaf);
}

void Router::walk_least_loaded(Zone& through, const Guide& guide, VertexIndex from, std::uint64_t flow, std::vector<LinkIndex>& links) {
  LoadedPath best = least_loaded_path(topology_, guide, from, *loads_, flow);
  const std::size_t members = through.members().size();
  const bool may_detour = parameters_.discipline == Discipline::minimal && members > 2;
  for (int d = 0; may_detour && d < parameters_.detours; ++d) {
    const VertexIndex middle = through.members()[hashed_choice(flow, 0x100000000u + static_cast<std::uint64_t>(d), members)];
    if (middle == from || middle == guide.target()) continue;
    LoadedPath round = least_loaded_path(topology_, through.guide(middle), from, *loads_, flow);
    const LoadedPath rest = least_loaded_path(topology_, guide, middle, *loads_, flow);
    if (round.links.empty() || rest.links.empty()) continue;
    round.links.insert(round.links.end(), rest.links.begin(), rest.links.end());
    round.busiest = std::max(round.busiest, rest.busiest);
    std::vector<VertexIndex> visited{from};
    for (const LinkIndex link : round.links) visited.push_back(topology_[link].to);
    std::ranges::sort(visited);
    if (std::ranges::adjacent_find(visited) != visited.end()) continue;
    if (round.busiest * static_cast<double>(round.links.size()) < best.busiest * static_cast<double>(best.links.size())) best = std::move(round);
  }
  links.insert(links.end(), best.links.begin(), best.links.end());
}

Zone& Router::zone(ZoneId id) {
  if (!zones_[id]) zones_[id] = std::make_unique<Zone>(topology_, map_, id, state_, parameters_.discipline);
  return *zones_[id];
}

void Router::forget() {
  for (std::unique_ptr<Zone>& made : zones_) made.reset();
  host_nics_.clear();
}

void Router::fail(LinkIndex cable) { state_.fail(cable); forget(); }
void Router::restore(LinkIndex cable) { state_.restore(cable); forget(); }
void Router::fail(VertexIndex vertex) { state_.fail(vertex); forget(); }
void Router::restore(VertexIndex vertex) { state_.restore(vertex); forget(); }

void Router::fail(DomainIndex domain) {
  for (const VertexIndex vertex : topology_.members(domain)) state_.fail(vertex);
  forget();
}

void Router::restore(DomainIndex domain) {
  for (const VertexIndex vertex : topology_.members(domain)) state_.restore(vertex);
  forget();
}

}  // namespace rackwright::topologies
