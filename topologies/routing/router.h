#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "topologies/routing/zone.h"

namespace rackwright::topologies {

enum class PathChoice : std::uint8_t {
  deterministic,  ///< One path a target: d-mod-k in trees (Zahavi 2010), dimension order on grids.
  ecmp,           ///< A hash of the flow at every switch.
  least_loaded,   ///< The path whose busiest link is least busy when the flow starts, by the caller's loads.
};

enum class NicChoice : std::uint8_t {
  own,              ///< Every accelerator sends through the NIC nearest to it.
  destination_rail, ///< Through the NIC on the target's rail, over the accelerator that owns it (NCCL's PXN).
};

struct RoutingParameters {
  PathChoice choice = PathChoice::ecmp;
  NicChoice nic = NicChoice::own;
  Discipline discipline = Discipline::minimal;
  /// With least_loaded and minimal: how many random members of a zone are tried as a way round, each by the shortest path to
  /// it and on. Taken if busiest link x hops is smaller than on the direct way (UGAL, Singh 2005). 0: never.
  int detours = 0;
};

/// How busy a link is, on any scale that compares (flows over bandwidth, utilization).
class LinkLoads {
 public:
  virtual ~LinkLoads() = default;
  virtual double load(LinkIndex link) const = 0;
};

struct RouteRequest {
  VertexIndex from;
  VertexIndex to;
  std::uint64_t flow = 0;  ///< What the hash sees: equal flows between equal ends take equal paths.
};

struct Route {
  std::vector<LinkIndex> links;  ///< In order; empty when both ends are the same.
  double latency_s = 0;
  double bandwidth = 0;          ///< Of the narrowest link, B/s; 0 for an empty path.
  double rail_bandwidth = 0;     ///< The same for a transfer over one rail of a bundle: one lane of network links, others whole.
};

/// Chooses the path of one flow when it starts. Knows the topology, what has failed and, if asked for, the loads;
/// keeps next hops only for targets it was asked about. Pure in that history: the same requests give the same paths.
class Router {
 public:
  /// The topology and `loads` (needed for least_loaded) outlive the router.
  Router(const Topology& topology, const RoutingParameters& parameters, const LinkLoads* loads = nullptr);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// False when nothing that works connects the two; the route is then empty.
  bool find(const RouteRequest& request, Route& route);

  /// A cable, a vertex or a whole failure domain goes down or comes back. Paths found before are not changed.
  void fail(LinkIndex cable);
  void restore(LinkIndex cable);
  void fail(VertexIndex vertex);
  void restore(VertexIndex vertex);
  void fail(DomainIndex domain);
  void restore(DomainIndex domain);
  bool usable(LinkIndex link) const { return state_.usable(link); }

 private:
  struct HostNics {
    std::unordered_map<std::uint32_t, std::vector<VertexIndex>> of;  ///< By endpoint: its own NIC first, then by distance.
    std::unordered_map<std::uint32_t, VertexIndex> owner;            ///< By NIC: the accelerator that it is nearest to.
  };

  struct NicDistance {
    int hops = 0;
    VertexIndex nic;
    auto operator<=>(const NicDistance&) const = default;
  };

  Zone& zone(ZoneId id);
  const HostNics& nics_of(DomainIndex host);
  std::vector<NicDistance> nic_distances(VertexIndex endpoint, std::span<const VertexIndex> nics);
  std::vector<VertexIndex> ports_of(VertexIndex endpoint, std::uint64_t flow);
  bool find_within(DomainKind kind, const RouteRequest& request, std::vector<LinkIndex>& links);
  bool find_across(const RouteRequest& request, std::vector<LinkIndex>& links);
  bool reach_nic(const RouteRequest& request, VertexIndex nic, std::vector<LinkIndex>& links);
  bool add_local_leg(VertexIndex from, VertexIndex to, std::uint64_t flow, std::vector<LinkIndex>& links);
  bool add_leg(ZoneId id, VertexIndex from, VertexIndex to, std::uint64_t flow, std::vector<LinkIndex>& links);
  void walk(const Guide& guide, VertexIndex from, std::uint64_t flow, bool on_grid, std::vector<LinkIndex>& links);
  void walk_least_loaded(Zone& zone, const Guide& guide, VertexIndex from, std::uint64_t flow, std::vector<LinkIndex>& links);
  std::uint64_t target_digits(const Guide& guide) const;
  void forget();

  const Topology& topology_;
  RoutingParameters parameters_;
  const LinkLoads* loads_;
  ZoneMap map_;
  LinkState state_;
  std::vector<std::unique_ptr<Zone>> zones_;
  std::unordered_map<std::uint32_t, HostNics> host_nics_;
};

}  // namespace rackwright::topologies
