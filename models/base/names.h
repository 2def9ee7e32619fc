#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright {

/// The candidate that a mistyped `name` most likely meant, or "" if none is near.
/// Near: at most a third of the name's length in insertions, deletions, replacements and swaps.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'x'?" for the nearest candidate, else "known: a, b, c" (at most 12 of them), else "".
std::string name_hint(std::string_view name, std::span<const std::string> candidates);

}  // namespace rackwright
