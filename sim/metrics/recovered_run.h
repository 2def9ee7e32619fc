#pragma once

#include <filesystem>
#include <optional>

#include "models/base/diagnostic.h"
#include "scenarios/results/run_folder.h"

namespace rackwright::metrics {

struct RecoveredRun {
  results::RunRecord record;
  results::RunResults results;
};

/// A run as read back from its folder or stream. When the stream has no end, what can be known is
/// gathered again from the requests that had left: counts, latencies, objectives and rates, but neither
/// pools nor power. Errors as of results::read_run.
std::optional<RecoveredRun> recover_run(const std::filesystem::path& folder_or_stream, Diagnostics& diagnostics);

}  // namespace rackwright::metrics
