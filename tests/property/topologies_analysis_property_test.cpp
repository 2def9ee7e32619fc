#include <algorithm>
#include <bit>
#include <limits>

#include "models/base/random.h"
#include "tests/support/catch.h"
#include "topologies/analysis/bisection.h"
#include "topologies/analysis/reachability.h"
#include "topologies/graph/topology_builder.h"

using namespace rackwright;
using namespace rackwright::topologies;

namespace {

std::uint32_t below(RandomStream& random, std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); }

/// `hosts` servers on random ones of `switches` switches, which are joined at random. Hosts come first.
Topology random_fabric(RandomStream& random, std::uint32_t hosts, std::uint32_t switches) {
  TopologyBuilder builder;
  for (std::uint32_t i = 0; i < hosts + switches; ++i) {
    Vertex vertex;
    vertex.name = "v" + std::to_string(i);
    vertex.kind = i < hosts ? VertexKind::host : VertexKind::network_switch;
    vertex.forwarding = i < hosts ? Forwarding::never : Forwarding::always;
    builder.add(vertex);
  }
  const auto speed = [&] { return 1.0 + below(random, 4); };
  for (std::uint32_t h = 0; h < hosts; ++h)
    for (std::uint32_t c = 0; c < 1 + below(random, 2); ++c) builder.connect({h}, {hosts + below(random, switches)}, {speed()});
  for (std::uint32_t s = 1; s < switches; ++s) builder.connect({hosts + s}, {hosts + below(random, s)}, {speed()});
  for (std::uint32_t c = 0; c < below(random, 2 * switches); ++c) {
    const std::uint32_t a = below(random, switches);
    const std::uint32_t b = below(random, switches);
    if (a != b) builder.connect_asymmetric({hosts + a}, {hosts + b}, {speed()}, speed());
  }
  return builder.build();
}

Topology random_nodes(RandomStream& random, std::uint32_t count) {
  TopologyBuilder builder;
  for (std::uint32_t i = 0; i < count; ++i) {
    Vertex vertex;
    vertex.name = "v" + std::to_string(i);
    builder.add(vertex);
  }
  for (std::uint32_t c = 0; c < count + below(random, 2 * count); ++c) {
    const std::uint32_t a = below(random, count);
    const std::uint32_t b = below(random, count);
    if (a != b) builder.connect({a}, {b}, {1.0 + below(random, 4)});
  }
  return builder.build();
}

/// The least capacity, in the narrower direction, over every halving of the terminals and every placing of the rest.
double brute_bisection(const FabricView& view) {
  const std::vector<std::uint32_t> terminals = view.terminals();
  std::uint32_t terminal_mask = 0;
  for (const std::uint32_t t : terminals) terminal_mask |= 1u << t;
  const int half = static_cast<int>(terminals.size()) / 2;
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t set = 0; set < 1u << view.nodes.size(); ++set) {
    if (std::popcount(set & terminal_mask) != half) continue;
    double there = 0;
    double back = 0;
    for (const FabricView::Cable& cable : view.cables) {
      const bool a = (set >> cable.a & 1u) != 0;
      const bool b = (set >> cable.b & 1u) != 0;
      if (a && !b) there += cable.there, back += cable.back;
      if (b && !a) there += cable.back, back += cable.there;
    }
    best = std::min({best, there, back});
  }
  return best;
}

/// By a search from every terminal through what forwards, over cables whichever way they go.
double brute_separated(const FabricView& view) {
  double apart = 0;
  double all = 0;
  for (std::uint32_t from = 0; from < view.nodes.size(); ++from) {
    std::vector<bool> seen(view.nodes.size(), false);
    std::vector<std::uint32_t> queue{from};
    seen[from] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (queue[i] != from && !view.nodes[queue[i]].forwards) continue;
      for (const FabricView::Cable& cable : view.cables)
        for (const auto& [a, b] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)})
          if (a == queue[i] && !seen[b]) {
            seen[b] = true;
            queue.push_back(b);
          }
    }
    for (std::uint32_t to = 0; to < view.nodes.size(); ++to) {
      if (to == from) continue;
      all += view.nodes[from].weight * view.nodes[to].weight;
      if (!seen[to]) apart += view.nodes[from].weight * view.nodes[to].weight;
    }
  }
  return all > 0 ? apart / all : 0;
}

}  // namespace

TEST_CASE("Up to 14 hosts, the bisection of a random fabric is the one that trying everything finds") {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "bisection", "fabric");
    const FabricView view = view_between_hosts(random_fabric(random, 4 + below(random, 8), 1 + below(random, 5)));
    const Bisection found = bisection(view, uniform_traffic(view, 1e9), nullptr, {});
    CHECK(found.is_exact);
    CHECK(found.upper == Approx(brute_bisection(view)));
  }
}

TEST_CASE("Beyond 14 hosts, the two bounds enclose what trying everything finds, and exact means equal") {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "bisection", "large");
    const FabricView view = view_between_hosts(seed % 2 == 0 ? random_fabric(random, 15 + below(random, 2), 2 + below(random, 2)) : random_nodes(random, 16));
    const Bisection found = bisection(view, uniform_traffic(view, 1e9), nullptr, {});
    const double truth = brute_bisection(view);
    CHECK(found.lower <= truth * (1 + 1e-9));
    CHECK(found.upper >= truth * (1 - 1e-9));
    if (found.is_exact) CHECK(found.upper == Approx(truth));
    exact += found.is_exact;
    CHECK(cut_between(view, found.side) == Approx(found.upper));
  }
  INFO(exact << " of 12 were exact");
}

TEST_CASE("The separated share equals a search from every terminal, with hosts joined directly and cut off") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "reach", "fabric");
    FabricView view = view_between_hosts(random_fabric(random, 2 + below(random, 8), 1 + below(random, 5)));
    std::erase_if(view.cables, [&](const FabricView::Cable&) { return below(random, 3) == 0; });
    // Some hosts have a cable to each other.
    const auto terminals = view.terminals();
    for (std::uint32_t c = 0; c < below(random, 4); ++c) {
      const std::uint32_t a = terminals[below(random, static_cast<std::uint32_t>(terminals.size()))];
      const std::uint32_t b = terminals[below(random, static_cast<std::uint32_t>(terminals.size()))];
      if (a != b) view.cables.push_back({a, b, 1, 1, {0}});
    }
    CHECK(separated_share(view) == Approx(brute_separated(view)).margin(1e-12));
  }
}

TEST_CASE("Merging twins does not change what uniform traffic carries") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "twins", "fabric");
    const FabricView view = view_between_hosts(random_fabric(random, 3 + below(random, 12), 1 + below(random, 3)));
    // Hosts whose cables differ by a hair are no twins.
    FabricView apart = view;
    for (std::size_t c = 0; c < apart.cables.size(); ++c) {
      apart.cables[c].there *= 1 + 1e-9 * static_cast<double>(c);
      apart.cables[c].back *= 1 + 1e-9 * static_cast<double>(c);
    }
    const auto merged = uniform_traffic(view, 1e9);
    const auto single = uniform_traffic(apart, 1e9);
    REQUIRE(merged);
    REQUIRE(single);
    CHECK(merged->pair_rate == Approx(single->pair_rate).epsilon(1e-6));
    CHECK(merged->mean_hops == Approx(single->mean_hops).epsilon(1e-6));
    CHECK(merged->diameter == single->diameter);
    CHECK(merged->unreachable_share == Approx(single->unreachable_share).margin(1e-9));
  }
}
