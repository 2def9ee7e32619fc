#include <cmath>

#include <fmt/format.h>

#include "models/base/quantity.h"
#include "topologies/analysis/topology_report.h"

namespace rackwright::topologies {

namespace {

std::string rate(double bytes_per_s) { return format_quantity(bytes_per_s, "B/s", 4); }
std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string range(double least, double most) {
  return std::abs(most - least) <= 1e-9 * std::abs(most) ? fmt::format("{:.4g}", least) : fmt::format("{:.4g} to {:.4g}", least, most);
}

void write_inventory(std::string& out, const Inventory& inventory) {
  out += "vertices\n";
  for (const auto& [kind, count] : inventory.vertices) out += fmt::format("  {:<18}{:>9}\n", to_string(kind), count);
  if (!inventory.ports.empty()) out += "switch ports\n";
  for (const auto& [key, count] : inventory.ports) {
    const auto& [kind, tier] = key;
    const std::string name = tier > 0 ? fmt::format("{} tier {}", to_string(kind), tier) : std::string(to_string(kind));
    out += fmt::format("  {:<26}{:>7} switches, {} ports used", name, count.switches, count.used);
    if (count.ports > 0) out += fmt::format(" of {}", count.ports);
    out += '\n';
  }
  if (!inventory.cables.empty()) out += "cables (both directions alike; transceivers are pluggable)\n";
  for (const auto& [kind, count] : inventory.cables)
    out += fmt::format("  {:<12} {:<14}{:>12}{:>10}{:>10} transceivers{:>12}\n", to_string(kind.kind), to_string(kind.cable), rate(kind.bandwidth), count.cables,
                       count.transceivers, kind.cable == Cable::unknown ? "power n/a" : format_quantity(count.power_w, "W", 3));
  if (!inventory.cables.empty())
    out += fmt::format("  together: {} transceivers, link power {}\n", inventory.transceivers(), format_quantity(inventory.power_w(), "W", 3));
}

void write_oversubscription(std::string& out, const TopologyReport& report) {
  if (report.tiers.empty() && report.pods.pods == 0) return;
  out += "oversubscription (bandwidth down : up)\n";
  for (const TierOversubscription& tier : report.tiers)
    out += fmt::format("  tier {}: {:.4g} : 1 over {} switches ({} each; {} down, {} up)\n", tier.tier, tier.ratio(), tier.switches, range(tier.least, tier.most),
                       rate(tier.down), rate(tier.up));
  if (report.pods.pods > 0) out += fmt::format("  pods: {} : 1 into the rest, {} pods\n", range(report.pods.least, report.pods.most), report.pods.pods);
}

void write_bisection(std::string& out, const Bisection& bisection) {
  if (bisection.side.empty()) return;
  const std::string halves = fmt::format("halves of {:.0f} and {:.0f}", bisection.smaller_weight, bisection.larger_weight);
  if (bisection.is_exact)
    out += fmt::format("  bisection bandwidth   {} (exact; {})\n", rate(bisection.upper), halves);
  else
    out += fmt::format("  bisection bandwidth   at most {}, at least {} ({})\n", rate(bisection.upper), rate(bisection.lower), halves);
}

void write_failures(std::string& out, const std::vector<FailureImpact>& failures) {
  if (failures.empty()) return;
  out += "  one failure costs (worst of its kind)     cut off   all-to-all    bisection\n";
  for (const FailureImpact& impact : failures) {
    out += fmt::format("    {}\n", impact.what);
    const std::string looked = impact.examined == impact.count ? fmt::format("all {}", impact.count) : fmt::format("{} of {}", impact.examined, impact.count);
    const std::string uniform = impact.uniform_loss ? percent(*impact.uniform_loss) : "not run";
    out += fmt::format("      {:<34}{:>11}{:>13}{:>13}   {}\n", looked, percent(impact.cut_off), uniform, percent(impact.bisection_loss), impact.worst);
  }
}

void write_level(std::string& out, const LevelReport& level) {
  out += level.alike > 1 ? fmt::format("{} (and {} alike)\n", level.name, level.alike - 1) : level.name + '\n';
  out += fmt::format("  terminals             {} standing for {:.0f}, {} switches, {} cables\n", level.terminals, level.weight, level.switches, level.cables);
  if (level.uniform)
    out += fmt::format("  hops                  {} at most (diameter), {:.3f} on average\n", level.uniform->diameter, level.uniform->mean_hops);
  if (level.separated > 0) out += fmt::format("  not connected         {} of the pairs\n", percent(level.separated));
  out += fmt::format("  single points         {} switches, {} cables\n", level.single_point_nodes, level.single_point_cables);
  if (level.diversity.pairs > 0)
    out += fmt::format("  path diversity        {} disjoint, {} shortest paths ({} pairs)\n", range(level.diversity.fewest_disjoint, level.diversity.most_disjoint),
                       range(level.diversity.fewest_shortest, level.diversity.most_shortest), level.diversity.pairs);
  if (!level.uniform)
    out += "  all-to-all            not run: too many terminals and cables\n";
  else if (std::isfinite(level.uniform->pair_rate))
    out += fmt::format("  all-to-all            {} from each (shortest paths, even split)\n", rate(level.uniform->sent_by_each));
  write_bisection(out, level.bisection);
  write_failures(out, level.failures);
}

}  // namespace

std::string to_text(const TopologyReport& report) {
  std::string out;
  write_inventory(out, report.inventory);
  write_oversubscription(out, report);
  for (const LevelReport& level : report.levels) write_level(out, level);
  return out;
}

}  // namespace rackwright::topologies
