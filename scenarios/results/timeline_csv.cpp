#include "scenarios/results/timeline_csv.h"

#include <fmt/format.h>

#include <iterator>

#include "scenarios/results/requests_csv.h"

namespace rackwright::results {

std::string to_csv(const Timeline& timeline) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "time_s");
  for (const TimelineSeries& series : timeline.series) fmt::format_to(out, ",{}", csv_cell(series.key));
  text.push_back('\n');
  for (std::size_t bin = 0; bin < timeline.bins(); ++bin) {
    fmt::format_to(out, "{}", static_cast<double>(bin) * timeline.period_s);
    for (const TimelineSeries& series : timeline.series) fmt::format_to(out, ",{}", series.values[bin]);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

}  // namespace rackwright::results
