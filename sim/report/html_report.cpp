#include "sim/report/html_report.h"

#include <array>

#include "sim/report/report_style.h"
#include "sim/report/sections/sections.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {

std::string html_report(const ReportInput& input) {
  // In the order in which a reviewer asks.
  constexpr std::array sections{masthead_section, conclusion_section, warnings_section, objectives_section,
                             latency_section,  agents_section,     decode_section,   load_section,     power_section,
                             network_section,  logged_section,     setup_section,    scenario_section, definitions_section};
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
  html += escaped(input.run.scenario) + " – Rackwright</title>\n<style>\n";
  html += report_style;
  html += "</style>\n</head>\n<body>\n<main>\n";
  for (const auto section : sections) html += section(input);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace rackwright::report
