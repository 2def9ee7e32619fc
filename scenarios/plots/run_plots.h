#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/plots/plot.h"
#include "scenarios/results/run_folder.h"

namespace rackwright::plots {

/// A latency metric as people write it: "ttft" is "TTFT", "longest_gap" is "Longest gap".
std::string name_of(std::string_view metric);

/// Points of a plot over time: few enough for a trend to be seen; the spread shows what lies between.
inline constexpr std::size_t points_shown = 120;

/// The plots of one run, as the report and the window show them. A plot without values is left out,
/// and so is a group without plots.
std::vector<PlotGroup> run_plots(const results::RunDescription& run, const results::RunResults& results);

}  // namespace rackwright::plots
