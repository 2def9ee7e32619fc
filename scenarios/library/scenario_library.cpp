#include "scenarios/library/scenario_library.h"

#include <algorithm>
#include <tuple>

#include "embedded/scenario_files.h"

namespace rackwright::scenarios {
namespace {

/// The comment lines at the front, without their marks, as one paragraph.
std::string head_comment(std::string_view text) {
  std::string comment;
  while (text.starts_with('#')) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(1, end - 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (!comment.empty()) comment += ' ';
    comment += line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comment;
}

/// The value of the first line "name: …"; library files write it plainly.
std::string name_line(std::string_view text) {
  constexpr std::string_view key = "\nname: ";
  const std::size_t begin = text.find(key);
  if (begin == std::string_view::npos) return {};
  const std::size_t from = begin + key.size();
  return std::string(text.substr(from, text.find('\n', from) - from));
}

}  // namespace

std::vector<LibraryScenario> library_scenarios() {
  std::vector<LibraryScenario> scenarios;
  for (const EmbeddedFile& file : embedded::scenario_files()) {
    const std::size_t slash = file.path.find('/');
    LibraryScenario scenario{std::string(file.path), std::string(file.path.substr(0, slash)), name_line(file.text),
                             head_comment(file.text), file.text};
    if (scenario.title.empty()) scenario.title = std::string(file.path.substr(slash + 1));
    scenarios.push_back(std::move(scenario));
  }
  const auto rank = [](const LibraryScenario& s) { return std::tuple(s.category != "tutorial", s.path); };
  std::ranges::sort(scenarios, {}, rank);
  return scenarios;
}

}  // namespace rackwright::scenarios
