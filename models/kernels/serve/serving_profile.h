#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/kernels/families/profile_session.h"

namespace rackwright::kernels {

struct ServingOptions {
  std::vector<std::string> requests;  ///< Files of requests, a run each.
  double seconds = 0;                 ///< Leave out what arrives later; 0: nothing.
  double warm_up_s = 5;
};

/// Serves each list and writes its tables into `out` (families serve, serve_check, serve_classes, serve_requests, serve_steps).
void profile_serving(ProfileSession& session, const ServingOptions& options, const std::filesystem::path& out, const ProfileHeader& header);

}  // namespace rackwright::kernels
