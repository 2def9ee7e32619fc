#pragma once

#include "models/kernels/families/profile_session.h"
#include "models/kernels/serve/serving_profile.h"

namespace rackwright::kernels {

/// Serves each list on one GPU, its prompts and then, unless prompts alone are asked for, its tokens; writes the families serve_check and
/// those of SplitTables into `out`. Throws EnvironmentError for a path of keys and values that needs a pair.
void profile_split(ProfileSession& session, const ServingOptions& options, const std::filesystem::path& out, const ProfileHeader& header);

/// Serves each list on GPUs 0 and 1 at once, and writes the same families. Throws EnvironmentError when there are not two devices that
/// reach each other's memory.
void profile_serving_pair(const ServingOptions& options, const std::filesystem::path& out, std::uint64_t seed);

}  // namespace rackwright::kernels
