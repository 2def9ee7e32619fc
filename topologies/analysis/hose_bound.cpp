#include "topologies/analysis/hose_bound.h"

#include <algorithm>
#include <utility>

namespace rackwright::topologies {

namespace {

class HoseBound {
 public:
  HoseBound(const FabricView& view, double most_steps)
      : view_(view),
        arcs_(view),
        steps_left_(most_steps),
        bandwidth_(terminal_bandwidth(view)),
        flow_(view.nodes.size(), 0),
        by_senders_(arcs_.all().size(), 0),
        by_receivers_(arcs_.all().size(), 0) {}

  std::optional<double> run() {
    const std::vector<std::uint32_t> terminals = view_.terminals();
    if (std::ranges::any_of(terminals, [&](std::uint32_t t) { return view_.nodes[t].forwards; })) return std::nullopt;
    // The most that any pair of a sender puts on each link, receiver by receiver, and the other way round.
    std::vector<std::vector<float>> most_of_sender(terminals.size());
    const double memory = static_cast<double>(terminals.size()) * static_cast<double>(arcs_.all().size());
    if (memory > steps_left_) return std::nullopt;
    for (auto& most : most_of_sender) most.assign(arcs_.all().size(), 0);
    std::vector<float> most_of_receiver(arcs_.all().size());
    for (const std::uint32_t target : terminals) {
      hops_ = hops_to(view_, arcs_, target, order_);
      std::ranges::fill(most_of_receiver, 0.0f);
      for (std::size_t s = 0; s < terminals.size(); ++s) {
        if (terminals[s] == target) continue;
        if (hops_[terminals[s]] < 0) return 0;
        if (!walk(terminals[s], target)) return std::nullopt;
        for (const auto& [arc, share] : shares_) {
          most_of_sender[s][arc] = std::max(most_of_sender[s][arc], share);
          most_of_receiver[arc] = std::max(most_of_receiver[arc], share);
        }
      }
      for (std::size_t a = 0; a < most_of_receiver.size(); ++a) by_receivers_[a] += bandwidth_[target] * static_cast<double>(most_of_receiver[a]);
    }
    for (std::size_t s = 0; s < terminals.size(); ++s)
      for (std::size_t a = 0; a < arcs_.all().size(); ++a) by_senders_[a] += bandwidth_[terminals[s]] * static_cast<double>(most_of_sender[s][a]);

    double share = 1;
    for (std::size_t a = 0; a < arcs_.all().size(); ++a) {
      const double load = std::min(by_senders_[a], by_receivers_[a]);
      if (load > 0) share = std::min(share, arcs_.all()[a].bandwidth / load);
    }
    return share;
  }

 private:
  /// What one unit from `source` to `target` puts on each link, in `shares_`. False when out of steps.
  bool walk(std::uint32_t source, std::uint32_t target) {
    shares_.clear();
    std::vector<std::uint32_t> layer{source};
    flow_[source] = 1;
    while (!layer.empty() && layer.front() != target) {
      next_.clear();
      for (const std::uint32_t at : layer) {
        const double flow = std::exchange(flow_[at], 0);
        double width = 0;
        const auto leads_on = [&](const ArcIndex::Arc& arc) {
          return hops_[arc.to] == hops_[at] - 1 && (arc.to == target || view_.nodes[arc.to].forwards);
        };
        for (const ArcIndex::Arc& arc : arcs_.out(at))
          if (leads_on(arc)) width += arc.bandwidth;
        for (const ArcIndex::Arc& arc : arcs_.out(at)) {
          if (!leads_on(arc)) continue;
          const double part = flow * (arc.bandwidth / width);
          shares_.emplace_back(static_cast<std::uint32_t>(&arc - arcs_.all().data()), static_cast<float>(part));
          if (flow_[arc.to] == 0) next_.push_back(arc.to);
          flow_[arc.to] += part;
        }
        steps_left_ -= static_cast<double>(arcs_.out(at).size());
      }
      layer.swap(next_);
    }
    flow_[target] = 0;
    return steps_left_ > 0;
  }

  const FabricView& view_;
  ArcIndex arcs_;
  double steps_left_;
  std::vector<double> bandwidth_;
  std::vector<int> hops_;
  std::vector<std::uint32_t> order_;
  std::vector<double> flow_;
  std::vector<std::uint32_t> next_;
  std::vector<std::pair<std::uint32_t, float>> shares_;
  std::vector<double> by_senders_;
  std::vector<double> by_receivers_;
};

}  // namespace

std::optional<double> hose_share(const FabricView& view, double most_steps) { return HoseBound(merge_twins(view).view, most_steps).run(); }

std::vector<double> terminal_bandwidth(const FabricView& view) {
  std::vector<double> out(view.nodes.size(), 0);
  std::vector<double> in(view.nodes.size(), 0);
  for (const FabricView::Cable& cable : view.cables) {
    out[cable.a] += cable.there;
    in[cable.b] += cable.there;
    out[cable.b] += cable.back;
    in[cable.a] += cable.back;
  }
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = view.nodes[n].weight > 0 ? std::min(out[n], in[n]) : 0;
  return out;
}

}  // namespace rackwright::topologies
