#pragma once

#include <string>

#include "sim/cli/exit_code.h"

namespace rackwright::cli {

class Console;

/// Fits every series of timed collectives in a file, and says how well: each is fitted to three of its rows
/// (cost::calibration_rows) and held to the others. The file is a CSV with the columns op, ranks, bytes and us, and perhaps
/// nodes (1), or what nccl-tests printed.
ExitCode calibrate_rows(const std::string& file, Console& console);

}  // namespace rackwright::cli
