#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright::scenarios {

/// One step of a path: a field, the key of a map entry or of a list item, or an index.
struct PathStep {
  std::string key;
  std::optional<std::size_t> index;  ///< Set for "[3]"; `key` is then empty.

  bool operator==(const PathStep&) const = default;
};

/// A place in a document as `--set`, sweep axes and diagnostics write it:
///   workload.trace.scale_time   deployment[0].scheduler.token_budget   deployment.prefill.on
/// Names that contain one of . [ ] " or a space are quoted: models."llama-3.1-8b".weights
using Path = std::vector<PathStep>;

/// Fills `problem` with one sentence when the text is no path. The empty text is the root.
std::optional<Path> parse_path(std::string_view text, std::string& problem);

std::string to_string(const Path& path);

/// `path` and one step more, as text.
std::string child_path(std::string_view path, std::string_view key);
std::string child_path(std::string_view path, std::size_t index);

}  // namespace rackwright::scenarios
