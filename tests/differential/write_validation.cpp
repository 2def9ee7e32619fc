// write_validation FILE: runs every validation case and writes docs/validation.md anew.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>

#include "tests/differential/device_checks_page.h"
#include "tests/differential/measured_collectives_page.h"
#include "tests/differential/network_rows.h"
#include "tests/differential/peer_copy_rows.h"
#include "tests/differential/published_signs.h"
#include "tests/differential/published_tables.h"
#include "tests/differential/served_runs.h"
#include "tests/differential/split_runs.h"
#include "tests/differential/split_sensitivity.h"
#include "tests/differential/validation_cases.h"

int main(int argc, char** argv) {
  using namespace rackwright::test;
  if (argc != 2) {
    std::cerr << "usage: write_validation FILE, with RACKWRIGHT_DATA naming the folder of measured runs\n";
    return 2;
  }
  std::string page =
      "# Simulated against measured\n\n"
      "Written by `write_validation`; a test fails when an error grows past what was recorded. Every request of a real\n"
      "run is replayed at its own arrival, and its simulated times stand beside the logged ones. What was set and\n"
      "what was fitted stands above each table. Errors are reported as they are; the worst is in bold.\n";
  for (const ValidationCase& one : validation_cases()) {
    const std::vector<ValidationFigure> figures = validate(one);
    double worst = 0;
    for (const ValidationFigure& figure : figures) worst = std::max(worst, std::abs(figure.error()));
    page += fmt::format("\n## {}\n\n`{}`. Set: {}.\n\n| figure | measured | simulated | error |\n|---|---:|---:|---:|\n", one.title,
                        one.scenario, one.settings);
    for (const ValidationFigure& figure : figures) {
      const char* mark = std::abs(figure.error()) == worst ? "**" : "";
      page += fmt::format("| {} | {:.2f} {} | {:.2f} {} | {}{:+.1f} %{} |\n", figure.name, figure.measured, figure.unit,
                          figure.simulated, figure.unit, mark, figure.error() * 100, mark);
    }
  }
  page += served_runs_page();
  page += split_runs_page();
  page += split_sensitivity_page();
  page += device_checks_page();
  page += network_section();
  page += measured_collectives_section(committed_h200_profile());
  page += peer_copies_section();
  page += published_section();
  page += signs_section();
  std::ofstream out(argv[1], std::ios::binary);
  out << page;
  return out ? 0 : 3;
}
