#include "topologies/analysis/bisection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "topologies/analysis/hose_bound.h"
#include "topologies/graph/max_flow.h"

namespace rackwright::topologies {

namespace {

constexpr std::size_t most_for_all_halvings = 14;
constexpr double equal_within = 1e-9;  ///< Of sums of bandwidths and weights.
constexpr double exact_within = 1e-6;  ///< Of two bounds: they are computed by very different ways.

struct SideCut {
  double capacity = 0;
  std::vector<bool> side;
};

SideCut smallest_cut(const FabricView& view, const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  FlowNetwork network(static_cast<std::uint32_t>(view.nodes.size()));
  bool is_symmetric = true;
  for (const FabricView::Cable& cable : view.cables) {
    network.add_edge(cable.a, cable.b, cable.there, cable.back);
    is_symmetric = is_symmetric && cable.there == cable.back;
  }
  const FlowNetwork::Cut there = network.min_cut(a, b);
  SideCut cut{there.capacity, there.source_side};
  if (!is_symmetric) {
    const FlowNetwork::Cut back = network.min_cut(b, a);
    if (back.capacity < cut.capacity) {
      cut = {back.capacity, back.source_side};
      cut.side.flip();
    }
  }
  return cut;
}

class Halving {
 public:
  explicit Halving(const FabricView& view) : view_(view), terminals_(view.terminals()), total_(view.total_weight()) {}

  /// Every set of terminals that holds the first and weighs as near to half as any does.
  void try_all() {
    const std::size_t count = terminals_.size();
    const auto weight_of = [&](std::uint32_t set) {
      double weight = 0;
      for (std::size_t t = 0; t < count; ++t)
        if ((set >> t & 1u) != 0) weight += view_.nodes[terminals_[t]].weight;
      return weight;
    };
    double nearest = std::numeric_limits<double>::infinity();
    const std::uint32_t sets = 1u << count;
    for (std::uint32_t set = 1; set + 1 < sets; set += 2) nearest = std::min(nearest, std::abs(weight_of(set) - total_ / 2));
    for (std::uint32_t set = 1; set + 1 < sets; set += 2) {
      if (std::abs(weight_of(set) - total_ / 2) > nearest * (1 + equal_within) + equal_within) continue;
      std::vector<bool> first(view_.nodes.size(), false);
      for (std::size_t t = 0; t < count; ++t) first[terminals_[t]] = (set >> t & 1u) != 0;
      try_half(first);
    }
  }

  /// The first half of the terminals in this order.
  void try_order(const std::vector<std::uint32_t>& order) {
    std::vector<bool> first(view_.nodes.size(), false);
    double weight = 0;
    for (const std::uint32_t t : order) {
      const double after = weight + view_.nodes[t].weight;
      // The last one is left for the other half, and one that would overshoot by more than it falls short.
      if (std::abs(after - total_ / 2) > std::abs(weight - total_ / 2) || after == total_) break;
      weight = after;
      first[t] = true;
    }
    if (weight > 0) try_half(first);
  }

  const std::vector<std::uint32_t>& terminals() const { return terminals_; }
  Bisection best() const { return best_; }

 private:
  void try_half(const std::vector<bool>& first) {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    double weight = 0;
    for (const std::uint32_t t : terminals_) {
      (first[t] ? a : b).push_back(t);
      if (first[t]) weight += view_.nodes[t].weight;
    }
    const SideCut cut = smallest_cut(view_, a, b);
    const double smaller = std::min(weight, total_ - weight);
    // A more even halving counts before a smaller cut.
    const bool is_more_even = smaller > best_.smaller_weight * (1 + equal_within);
    const bool is_as_even = smaller >= best_.smaller_weight * (1 - equal_within);
    if (best_.side.empty() || is_more_even || (is_as_even && cut.capacity < best_.upper)) best_ = {cut.capacity, 0, false, smaller, total_ - smaller, cut.side};
  }

  const FabricView& view_;
  std::vector<std::uint32_t> terminals_;
  double total_;
  Bisection best_;
};

/// Terminals by hops from `start`, through every node.
std::vector<std::uint32_t> by_distance(const FabricView& view, const ArcIndex& arcs, std::uint32_t start) {
  std::vector<bool> seen(view.nodes.size(), false);
  std::vector<std::uint32_t> queue{start};
  std::vector<std::uint32_t> found;
  seen[start] = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (view.nodes[queue[i]].weight > 0) found.push_back(queue[i]);
    for (const ArcIndex::Arc& arc : arcs.out(queue[i]))
      if (!seen[arc.to]) {
        seen[arc.to] = true;
        queue.push_back(arc.to);
      }
  }
  for (const std::uint32_t t : view.terminals())
    if (!seen[t]) found.push_back(t);
  return found;
}

/// Terminals by their value in the second eigenvector of the random walk over the cables (Fiedler 1973), by power iteration.
std::vector<std::uint32_t> by_eigenvector(const FabricView& view) {
  constexpr int rounds = 200;
  const std::size_t count = view.nodes.size();
  std::vector<double> width(count, 0);
  for (const FabricView::Cable& cable : view.cables) {
    width[cable.a] += cable.there + cable.back;
    width[cable.b] += cable.there + cable.back;
  }
  const double all = std::accumulate(width.begin(), width.end(), 0.0);
  std::vector<double> value(count);
  for (std::size_t n = 0; n < count; ++n) value[n] = std::sin(static_cast<double>(n) + 1);
  std::vector<double> next(count);
  for (int round = 0; round < rounds && all > 0; ++round) {
    double mean = 0;
    for (std::size_t n = 0; n < count; ++n) mean += width[n] * value[n] / all;
    double norm = 0;
    for (std::size_t n = 0; n < count; ++n) {
      value[n] -= mean;
      norm += width[n] * value[n] * value[n];
    }
    if (norm == 0) break;
    // Half a step stays put, so that the walk does not alternate.
    for (std::size_t n = 0; n < count; ++n) next[n] = value[n] / 2;
    for (const FabricView::Cable& cable : view.cables) {
      const double between = cable.there + cable.back;
      next[cable.a] += between / width[cable.a] * value[cable.b] / 2;
      next[cable.b] += between / width[cable.b] * value[cable.a] / 2;
    }
    for (std::size_t n = 0; n < count; ++n) value[n] = next[n] / std::sqrt(norm / all);
  }
  std::vector<std::uint32_t> order = view.terminals();
  std::ranges::stable_sort(order, {}, [&](std::uint32_t t) { return value[t]; });
  return order;
}

void try_chosen(Halving& halving, const FabricView& view, const Grid* grid) {
  halving.try_order(halving.terminals());
  if (grid != nullptr) {
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<std::uint32_t> order = halving.terminals();
      // Slices of the grid, the last of an odd number cut along the next dimension and so on.
      const auto key = [&](std::uint32_t node) {
        const auto place = grid->position({grid->first.value + node});
        return std::array{place[d], place[(d + 1) % 3], place[(d + 2) % 3]};
      };
      std::ranges::stable_sort(order, {}, key);
      halving.try_order(order);
    }
    return;
  }
  const ArcIndex arcs(view);
  std::vector<std::uint32_t> order = by_distance(view, arcs, halving.terminals().front());
  halving.try_order(order);
  halving.try_order(by_distance(view, arcs, order.back()));
  halving.try_order(by_eigenvector(view));
}

/// The exact width of a grid that does not wrap, with sides k1 >= k2 >= k3, times its narrowest link: the sum over i up to the
/// first even ki (or all of them) of the product of the kj behind it (Efe and Feng 2007; Aroca and Fernandez Anta 2014). 0 for
/// any other view.
double mesh_bisection(const FabricView& view, const Grid& grid) {
  std::array<double, 3> sides{};
  double cables = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.wraps[d] && grid.size[d] > 2) return 0;
    sides[d] = grid.size[d];
    cables += static_cast<double>(grid.count()) / sides[d] * (sides[d] - 1);
  }
  if (static_cast<double>(view.cables.size()) != cables || view.nodes.size() != static_cast<std::size_t>(grid.count())) return 0;
  double narrowest = std::numeric_limits<double>::infinity();
  for (const FabricView::Cable& cable : view.cables) narrowest = std::min({narrowest, cable.there, cable.back});
  std::ranges::sort(sides, std::ranges::greater());
  double width = 0;
  double behind = static_cast<double>(grid.count());
  for (const double side : sides) {
    behind /= side;
    if (side > 1) width += behind;
    if (std::fmod(side, 2) == 0) break;
  }
  return width * narrowest;
}

/// The lowest that any halving can have, by what must cross it.
double proven(const FabricView& view, const Bisection& halves, const std::optional<UniformTraffic>& uniform, double most_steps) {
  const std::vector<std::uint32_t> terminals = view.terminals();
  const std::vector<double> bandwidth = terminal_bandwidth(view);
  const bool none_forwards = std::ranges::none_of(terminals, [&](std::uint32_t t) { return view.nodes[t].forwards; });
  const double pairs = halves.smaller_weight * halves.larger_weight;
  // Least bandwidth of an accelerator: what cutting terminals off, instead of the fabric, costs at least.
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t t : terminals) least = std::min(least, bandwidth[t] / view.nodes[t].weight);
  const double cut_off = least * halves.smaller_weight;

  double lower = 0;
  if (uniform && uniform->unreachable_share == 0) {
    lower = uniform->pair_rate * pairs;
    // A cut takes some terminals off (x of one side, y of the other, at least `least` each) and the fabric between the rest:
    // least · (x + y) + rate · (A - x) · (B - y), which is smallest at a corner.
    if (none_forwards && uniform->uses_terminals_evenly) lower = std::max(lower, std::min(uniform->fabric_pair_rate * pairs, cut_off));
  }
  if (none_forwards && lower < halves.upper * (1 - equal_within))
    if (const std::optional<double> share = hose_share(view, most_steps)) lower = std::max(lower, *share * cut_off);
  return lower;
}

}  // namespace

Bisection bisection(const FabricView& view, const std::optional<UniformTraffic>& uniform, const Grid* grid, const BisectionEffort& effort) {
  Halving halving(view);
  if (halving.terminals().size() < 2) return {};
  // Half of the binomial coefficient of n over n/2, at most 1716 for 14.
  const double halvings = std::exp2(static_cast<double>(halving.terminals().size())) / 8;
  const bool all = halving.terminals().size() <= most_for_all_halvings &&
                   halvings * static_cast<double>(view.nodes.size() + view.cables.size()) <= effort.most_steps;
  if (all)
    halving.try_all();
  else
    try_chosen(halving, view, grid);
  Bisection found = halving.best();
  found.lower = all ? found.upper : std::min(found.upper, proven(view, found, uniform, effort.most_steps));
  if (grid != nullptr) found.lower = std::min(found.upper, std::max(found.lower, mesh_bisection(view, *grid)));
  found.is_exact = found.lower >= found.upper * (1 - exact_within);
  if (found.is_exact) found.lower = found.upper;
  return found;
}

double cut_between(const FabricView& view, const std::vector<bool>& side) {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  for (const std::uint32_t t : view.terminals()) (side[t] ? a : b).push_back(t);
  return a.empty() || b.empty() ? 0 : smallest_cut(view, a, b).capacity;
}

}  // namespace rackwright::topologies
