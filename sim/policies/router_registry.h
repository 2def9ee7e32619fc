#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "sim/serving/router.h"

namespace rackwright::policies {

/// What a scenario may say about routing; absent where it says nothing.
struct RouterOptions {
  std::uint64_t seed = 0;  ///< Of the run.
  std::optional<double> match_threshold;
  std::optional<int> imbalance_requests;
  std::optional<double> imbalance_ratio;
};

struct RouterEntry {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> options;  ///< Names of the options that it reads; the others have no effect.
  std::shared_ptr<const serving::Router> (*make)(const RouterOptions& options);
};

/// Every router, in the order in which they are listed to users.
std::span<const RouterEntry> routers();
/// Null when there is none of this name.
const RouterEntry* find_router(std::string_view name);

}  // namespace rackwright::policies
