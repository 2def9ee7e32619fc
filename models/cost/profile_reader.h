#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "models/base/diagnostic.h"
#include "models/cost/operator_profile.h"

namespace rackwright::cost {

/// The tables of a profile by the name of their file: "gemm.csv", "gemm.check.csv", …
using ProfileFiles = std::map<std::string, std::string>;

/// Reads operator tables in this project's own form; `name` stands for their folder in findings.
OperatorProfile read_profile(const std::string& name, const ProfileFiles& files, Diagnostics& diagnostics);

/// Reads a folder of operator tables in this project's own form (models/kernels/profiles/FORMAT.md). Families whose file
/// is not there are absent; rows with a reason in `skip` are left out. Of several implementations in a file the one with the
/// most rows counts: others were sampled beside it, and a grid that mixes them bends where they meet. Off-grid points go to
/// `check`.
OperatorProfile read_profile(const std::filesystem::path& folder, Diagnostics& diagnostics);

}  // namespace rackwright::cost
