#include "topologies/analysis/uniform_traffic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rackwright::topologies {

namespace {

/// Adds to `load` what all terminals send to `target` at a pair rate of 1. Counts hops on the way.
class Spreader {
 public:
  Spreader(const FabricView& view, const ArcIndex& arcs) : view_(view), arcs_(arcs), flow_(view.nodes.size()), load_(arcs.all().size(), 0), entering_(arcs.all().size(), 0) {}

  void send_to(std::uint32_t target) {
    const std::vector<int> hops = hops_to(view_, arcs_, target, order_);
    std::ranges::fill(flow_, 0.0);
    for (std::uint32_t n = 0; n < view_.nodes.size(); ++n) {
      const double demand = n == target ? 0 : view_.nodes[n].weight * view_.nodes[target].weight;
      if (hops[n] >= 0) count(demand, hops[n]);
      else unreachable_ += demand;
      if (hops[n] > 0) flow_[n] = demand;
    }
    // Farthest first, so that what passes through a node is complete before it is passed on.
    for (std::size_t i = order_.size(); i-- > 1;) {
      const std::uint32_t at = order_[i];
      if (flow_[at] == 0) continue;
      double width = 0;
      for (const ArcIndex::Arc& arc : arcs_.out(at)) {
        if (leads_on(hops, arc, target))
          width += arc.bandwidth;
        else if (!view_.nodes[at].forwards)
          uses_evenly_ = false;
      }
      for (const ArcIndex::Arc& arc : arcs_.out(at)) {
        if (!leads_on(hops, arc, target)) continue;
        const double part = flow_[at] * (arc.bandwidth / width);
        const auto a = static_cast<std::size_t>(&arc - arcs_.all().data());
        load_[a] += part;
        flow_[arc.to] += part;
        if (arc.to == target) entering_[a] += part;
      }
    }
    check_entering(target);
  }

  /// Traffic among twins: up to what they hang on and down again.
  void send_among_twins(std::uint32_t node, double demand) {
    double width = 0;
    for (const ArcIndex::Arc& arc : arcs_.out(node))
      if (view_.nodes[arc.to].forwards) width += arc.bandwidth;
    if (width == 0) {
      unreachable_ += demand;
      return;
    }
    count(demand, 2);
    double width_in = 0;
    for (const std::uint32_t a : arcs_.in(node)) width_in += arcs_.all()[a].bandwidth;
    for (const ArcIndex::Arc& arc : arcs_.out(node)) load_[static_cast<std::size_t>(&arc - arcs_.all().data())] += demand * arc.bandwidth / width;
    for (const std::uint32_t a : arcs_.in(node)) load_[a] += demand * arcs_.all()[a].bandwidth / width_in;
  }

  /// `share_of_targets`: those sent to, of all terminals.
  UniformTraffic result(double share_of_targets) const {
    UniformTraffic traffic;
    traffic.diameter = diameter_;
    traffic.uses_terminals_evenly = uses_evenly_;
    traffic.mean_hops = reached_ > 0 ? hop_sum_ / reached_ : 0;
    traffic.unreachable_share = unreachable_ > 0 ? unreachable_ / (unreachable_ + reached_) : 0;
    traffic.pair_rate = traffic.fabric_pair_rate = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < load_.size(); ++a) {
      if (load_[a] == 0) continue;
      const double rate = arcs_.all()[a].bandwidth / load_[a];
      traffic.pair_rate = std::min(traffic.pair_rate, rate);
      if (!view_.is_terminal_cable(view_.cables[arcs_.all()[a].cable])) traffic.fabric_pair_rate = std::min(traffic.fabric_pair_rate, rate);
    }
    if (reached_ == 0) traffic.pair_rate = traffic.fabric_pair_rate = 0;
    traffic.sent_by_each = traffic.pair_rate * (reached_ / share_of_targets / view_.total_weight());
    return traffic;
  }

  std::vector<double>& load() { return load_; }

 private:
  void check_entering(std::uint32_t target) {
    double all = 0;
    double width = 0;
    for (const std::uint32_t a : arcs_.in(target)) {
      all += entering_[a];
      width += arcs_.all()[a].bandwidth;
    }
    for (const std::uint32_t a : arcs_.in(target)) {
      const double even = all * arcs_.all()[a].bandwidth / width;
      if (!view_.nodes[target].forwards && std::abs(entering_[a] - even) > 1e-9 * all) uses_evenly_ = false;
      entering_[a] = 0;
    }
  }

  bool leads_on(const std::vector<int>& hops, const ArcIndex::Arc& arc, std::uint32_t target) const {
    return hops[arc.to] == hops[arc.from] - 1 && (arc.to == target || view_.nodes[arc.to].forwards);
  }

  void count(double demand, int hops) {
    if (demand == 0) return;
    reached_ += demand;
    hop_sum_ += demand * hops;
    diameter_ = std::max(diameter_, hops);
  }

  const FabricView& view_;
  const ArcIndex& arcs_;
  std::vector<double> flow_;
  std::vector<double> load_;
  std::vector<double> entering_;  ///< Into the present target, by arc.
  std::vector<std::uint32_t> order_;
  double reached_ = 0;
  double unreachable_ = 0;
  double hop_sum_ = 0;
  int diameter_ = 0;
  bool uses_evenly_ = true;
};

}  // namespace

std::optional<UniformTraffic> uniform_traffic(const FabricView& view, double most_steps) {
  const TwinView twins = merge_twins(view);
  const ArcIndex arcs(twins.view);
  const std::vector<std::uint32_t> terminals = twins.view.terminals();
  const double size = static_cast<double>(arcs.all().size()) + static_cast<double>(twins.view.nodes.size());
  if (static_cast<double>(terminals.size()) * size > most_steps) return std::nullopt;
  Spreader spreader(twins.view, arcs);
  for (const std::uint32_t target : terminals) {
    spreader.send_to(target);
    if (twins.inner_pairs[target] > 0) spreader.send_among_twins(target, twins.inner_pairs[target]);
  }
  return spreader.result(1);
}

std::optional<UniformTraffic> uniform_traffic_on_torus(const FabricView& view, const Grid& grid) {
  const auto count = static_cast<std::size_t>(grid.count());
  if (view.nodes.size() != count || count < 2) return std::nullopt;
  std::size_t expected = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.size[d] > 2 && !grid.wraps[d]) return std::nullopt;
    expected += grid.size[d] > 2 ? count : grid.size[d] == 2 ? count / 2 : 0;
  }
  if (view.cables.size() != expected) return std::nullopt;

  const ArcIndex arcs(view);
  Spreader spreader(view, arcs);
  spreader.send_to(0);
  // Shifting the target over all places shifts the loads over all links of their dimension: each gets their mean, as
  // many times as there are targets.
  const auto dimension = [&](const ArcIndex::Arc& arc) -> std::size_t {
    const auto a = grid.position({grid.first.value + arc.from});
    const auto b = grid.position({grid.first.value + arc.to});
    return a[0] != b[0] ? 0 : a[1] != b[1] ? 1 : 2;
  };
  std::array<double, 3> sum{};
  std::array<double, 3> links{};
  for (std::size_t a = 0; a < arcs.all().size(); ++a) {
    sum[dimension(arcs.all()[a])] += spreader.load()[a];
    links[dimension(arcs.all()[a])] += 1;
  }
  for (std::size_t a = 0; a < arcs.all().size(); ++a) {
    const std::size_t d = dimension(arcs.all()[a]);
    spreader.load()[a] = sum[d] / links[d] * static_cast<double>(count);
  }
  return spreader.result(1 / static_cast<double>(count));
}

}  // namespace rackwright::topologies
