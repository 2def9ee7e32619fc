#include "topologies/analysis/failure_impact.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "models/base/quantity.h"
#include "topologies/analysis/reachability.h"

namespace rackwright::topologies {

namespace {

/// One thing that fails: one lane of a cable, or every cable of some vertices.
struct Candidate {
  std::string name;
  std::vector<std::uint32_t> cables;  ///< By cable of the topology.
  float left = 0;                     ///< Share of their bandwidth that stays.
};

std::string place_of(const Vertex& vertex) {
  if (vertex.tier > 0) return fmt::format("{} tier {}", to_string(vertex.kind), vertex.tier);
  return std::string(to_string(vertex.kind));
}

enum class Label { with_bandwidth, without_bandwidth };

std::string cable_kind(const Topology& topology, const Link& link, Label label) {
  std::string a = place_of(topology[link.from]);
  std::string b = place_of(topology[link.to]);
  if (b < a) std::swap(a, b);
  if (label == Label::without_bandwidth) return fmt::format("{}, {} - {}", to_string(link.kind), a, b);
  return fmt::format("{} {}, {} - {}", format_quantity(link.bandwidth / link.lanes, "B/s", 3), to_string(link.kind), a, b);
}

class FailureSearch {
 public:
  FailureSearch(const Topology& topology, const FabricView& view, const Bisection& healthy, const std::optional<UniformTraffic>& uniform,
                const FailureEffort& effort)
      : topology_(topology), view_(view), healthy_(healthy), uniform_(uniform), effort_(effort), separated_(separated_share(view)), in_view_(topology.cable_count(), false) {
    for (const FabricView::Cable& cable : view.cables) in_view_[cable.link.value / 2] = true;
  }

  std::vector<FailureImpact> run() {
    gather_cables();
    gather_switches();
    gather_domains(DomainKind::rail);
    gather_domains(DomainKind::plane);
    const TwinView twins = merge_twins(view_);
    const double one = static_cast<double>(twins.view.terminals().size() + 4) * static_cast<double>(twins.view.cables.size() + twins.view.nodes.size()) +
                       8.0 * static_cast<double>(view_.cables.size());
    const double each = effort_.all_steps / one / static_cast<double>(std::max<std::size_t>(1, kinds_.size()));
    const auto most = std::max<std::size_t>(1, static_cast<std::size_t>(std::min(each, 1e6)));
    // One of every kind may cost more than asked for, but not without end.
    double steps_left = 10 * effort_.all_steps;
    std::vector<FailureImpact> impacts;
    for (const auto& [what, candidates] : kinds_) {
      impacts.push_back(examine(what, candidates, steps_left > 0 ? most : 0));
      steps_left -= one * impacts.back().examined;
    }
    return impacts;
  }

 private:
  void gather_cables() {
    constexpr std::size_t most_kinds = 32;
    std::map<std::string, std::vector<Candidate>> by_kind;
    for (const Label label : {Label::with_bandwidth, Label::without_bandwidth}) {
      by_kind.clear();
      for (std::uint32_t c = 0; c < topology_.cable_count(); ++c) {
        if (!in_view_[c]) continue;
        const Link& link = topology_.links()[2 * c];
        by_kind[cable_kind(topology_, link, label)].push_back({fmt::format("{} - {}", topology_[link.from].name, topology_[link.to].name), {c},
                                                               1 - 1.0f / static_cast<float>(link.lanes)});
      }
      if (by_kind.size() <= most_kinds) break;
    }
    for (auto& [what, candidates] : by_kind) kinds_.emplace_back("cable, " + what, std::move(candidates));
  }

  void gather_switches() {
    std::map<std::string, std::vector<Candidate>> by_kind;
    for (std::uint32_t v = 0; v < topology_.vertex_count(); ++v) {
      const Vertex& vertex = topology_.vertices()[v];
      const bool is_switch = vertex.kind == VertexKind::network_switch || vertex.kind == VertexKind::scale_up_switch;
      // In a direct network the accelerators are the switches.
      const bool stands_in = vertex.forwarding == Forwarding::always && (vertex.kind == VertexKind::accelerator || vertex.kind == VertexKind::node);
      if (!is_switch && !stands_in) continue;
      Candidate candidate{vertex.name, cables_of({v}), 0};
      if (!candidate.cables.empty()) by_kind[place_of(vertex)].push_back(std::move(candidate));
    }
    for (auto& [what, candidates] : by_kind) kinds_.emplace_back(what, std::move(candidates));
  }

  void gather_domains(DomainKind domain_kind) {
    std::vector<Candidate> candidates;
    for (std::uint32_t d = 0; d < topology_.domains().size(); ++d) {
      if (topology_.domains()[d].kind != domain_kind) continue;
      Candidate candidate{topology_.domains()[d].name, {}, 0};
      for (const VertexIndex member : topology_.members({d})) {
        const std::vector<std::uint32_t> cables = cables_of(member);
        candidate.cables.insert(candidate.cables.end(), cables.begin(), cables.end());
      }
      if (!candidate.cables.empty()) candidates.push_back(std::move(candidate));
    }
    if (candidates.size() > 1) kinds_.emplace_back(to_string(domain_kind), std::move(candidates));
  }

  std::vector<std::uint32_t> cables_of(VertexIndex vertex) const {
    std::vector<std::uint32_t> cables;
    for (const LinkIndex link : topology_.out_links(vertex))
      if (in_view_[link.value / 2]) cables.push_back(link.value / 2);
    return cables;
  }

  FailureImpact examine(const std::string& what, const std::vector<Candidate>& candidates, std::size_t most) const {
    FailureImpact all;
    double worst = -1;
    const std::size_t examined = std::min(most, candidates.size());
    for (std::size_t i = 0; i < examined; ++i) {
      const Candidate& candidate = candidates[i * candidates.size() / examined];
      const FailureImpact one = take_out(candidate);
      all.cut_off = std::max(all.cut_off, one.cut_off);
      all.bisection_loss = std::max(all.bisection_loss, one.bisection_loss);
      if (one.uniform_loss) all.uniform_loss = std::max(all.uniform_loss.value_or(0), *one.uniform_loss);
      // Pairs that cannot talk count before any loss of bandwidth.
      const double badness = 10 * one.cut_off + std::max(one.uniform_loss.value_or(0), one.bisection_loss);
      if (badness > worst) {
        worst = badness;
        all.worst = candidate.name;
      }
    }
    all.what = what;
    all.count = static_cast<int>(candidates.size());
    all.examined = static_cast<int>(examined);
    return all;
  }

  FailureImpact take_out(const Candidate& candidate) const {
    std::vector<float> share(topology_.cable_count(), 1);
    for (const std::uint32_t cable : candidate.cables) share[cable] = candidate.left;
    const FabricView left = with_losses(view_, share);
    FailureImpact impact;
    impact.cut_off = std::max(0.0, separated_share(left) - separated_);
    if (uniform_ && uniform_->pair_rate > 0)
      if (const auto after = uniform_traffic(left, effort_.most_steps)) {
        impact.uniform_loss = loss(after->pair_rate, uniform_->pair_rate);
        // Where cables carry one direction only, this sees more than whether there is any cable.
        impact.cut_off = std::max(impact.cut_off, after->unreachable_share - uniform_->unreachable_share);
      }
    if (healthy_.upper > 0) impact.bisection_loss = loss(cut_between(left, healthy_.side), healthy_.upper);
    return impact;
  }

  /// Rounding is not a loss.
  static double loss(double after, double before) { return after < before * (1 - 1e-9) ? 1 - after / before : 0; }

  const Topology& topology_;
  const FabricView& view_;
  const Bisection& healthy_;
  const std::optional<UniformTraffic>& uniform_;
  const FailureEffort& effort_;
  double separated_;
  std::vector<bool> in_view_;
  std::vector<std::pair<std::string, std::vector<Candidate>>> kinds_;
};

}  // namespace

std::vector<FailureImpact> failure_impacts(const Topology& topology, const FabricView& view, const Bisection& healthy,
                                           const std::optional<UniformTraffic>& uniform, const FailureEffort& effort) {
  return FailureSearch(topology, view, healthy, uniform, effort).run();
}

}  // namespace rackwright::topologies
