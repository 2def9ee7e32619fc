#pragma once

#include <string>

#include "scenarios/results/run_summary.h"

namespace rackwright::report {

/// "412 tasks of 6.1 model calls took 31.2 s on average: 18 s in models …; stations bind".
std::string chain_text(const results::ChainSummary& chains);

/// "First audio after 640 ms on average, 910 ms at p95: network 60 ms, …".
std::string voice_text(const results::VoiceSummary& voice);

/// "tools: 61 % of 384 workers busy, jobs waited 1.2 s on average".
std::string station_text(const results::StationSummary& station);

}  // namespace rackwright::report
