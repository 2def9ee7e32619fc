#pragma once

#include <string>

#include "sim/report/html_report.h"

namespace rackwright::report {

/// Each section returns its HTML, or nothing when the run has nothing to say there.
/// To add one: a file beside these, a line here, and a line in the list of html_report.cpp.

std::string masthead_section(const ReportInput& input);
/// The numbers that decide, and how far they can be trusted.
std::string conclusion_section(const ReportInput& input);
std::string warnings_section(const ReportInput& input);
std::string objectives_section(const ReportInput& input);
std::string latency_section(const ReportInput& input);
/// Throughput against the sequences in a step, and what bounds it.
std::string decode_section(const ReportInput& input);
std::string agents_section(const ReportInput& input);
std::string load_section(const ReportInput& input);
std::string power_section(const ReportInput& input);
std::string network_section(const ReportInput& input);
std::string logged_section(const ReportInput& input);
std::string setup_section(const ReportInput& input);
std::string scenario_section(const ReportInput& input);
std::string definitions_section(const ReportInput& input);

}  // namespace rackwright::report
