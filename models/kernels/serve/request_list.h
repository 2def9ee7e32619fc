#pragma once

#include <filesystem>
#include <vector>

#include "models/kernels/serve/batch_scheduler.h"

namespace rackwright::kernels {

/// Reads a CSV file with the columns `arrival_s,input_tokens,output_tokens`, ascending arrivals.
/// Throws EnvironmentError with file and line when it is missing, malformed, or a request is longer than a slot.
std::vector<ServedRequest> read_request_list(const std::filesystem::path& file);

}  // namespace rackwright::kernels
