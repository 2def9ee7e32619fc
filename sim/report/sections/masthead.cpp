#include <fmt/format.h>

#include <algorithm>

#include "sim/report/numbers.h"
#include "sim/report/sections/sections.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {
namespace {

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// The run in two sentences: what became of the requests, and whether it was good enough.
std::string verdict(const results::RunSummary& s) {
  const results::RequestCounts& r = s.requests;
  std::string text;
  if (r.total == 0) {
    text = "No request arrived.";
  } else if (r.completed == r.total) {
    text = fmt::format("All {} requests completed in {} of simulated time.", grouped(r.total), duration(s.duration_s));
  } else {
    text = fmt::format("{} of {} requests completed in {} of simulated time", grouped(r.completed), grouped(r.total),
                       duration(s.duration_s));
    for (const auto& [count, word] : {std::pair{r.rejected, "rejected"},
                                      {r.failed, "failed"},
                                      {r.cancelled, "cancelled"},
                                      {r.in_flight, "in flight at the end"}}) {
      if (count > 0) text += fmt::format(", {} {}", grouped(count), word);
    }
    text += ".";
  }
  if (s.slo) {
    const auto met = static_cast<std::size_t>(std::ranges::count(s.slo->objectives, true, &results::Objective::met));
    const std::size_t all = s.slo->objectives.size();
    text += met == all ? fmt::format(" {} met.", all == 1   ? "The objective was"
                                                 : all == 2 ? "Both objectives were"
                                                            : fmt::format("All {} objectives were", all))
                       : fmt::format(" {} of {} met.", met, plural(all, "objective"));
  }
  return text;
}

}  // namespace

std::string masthead_section(const ReportInput& input) {
  const results::RunDescription& run = input.run;
  std::string html = "<header class=\"masthead\">\n<p class=\"kicker\">Rackwright simulation report</p>\n";
  html += "<h1>" + escaped(run.scenario.empty() ? "unnamed scenario" : run.scenario) + "</h1>\n";
  if (!run.question.empty()) html += "<p class=\"question\">" + escaped(run.question) + "</p>\n";
  html += "<p class=\"lede\">" + escaped(verdict(input.results.summary)) + "</p>\n";
  if (!input.partial_reason.empty()) {
    html += "<p class=\"notice\" role=\"note\"><b>This run is partial.</b> " + escaped(input.partial_reason) + "</p>\n";
  }
  return html + "</header>\n";
}

}  // namespace rackwright::report
