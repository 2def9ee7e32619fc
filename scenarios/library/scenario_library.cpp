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

/// The value of the first line that begins with `key`; library files write it on one line, in quotes where YAML needs them.
std::string value_line(std::string_view text, std::string_view key) {
  const std::size_t begin = text.find(key);
  if (begin == std::string_view::npos) return {};
  const std::size_t from = begin + key.size();
  std::string_view value = text.substr(from, text.find('\n', from) - from);
  if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return std::string(value);
}

std::string description(std::string_view text) {
  const std::string question = value_line(text, "\nquestion: ");
  const std::string comment = head_comment(text);
  return question.empty() || comment.empty() ? question + comment : question + " " + comment;
}

}  // namespace

std::vector<LibraryScenario> library_scenarios() {
  std::vector<LibraryScenario> scenarios;
  for (const EmbeddedFile& file : embedded::scenario_files()) {
    const std::size_t slash = file.path.find('/');
    LibraryScenario scenario{std::string(file.path), std::string(file.path.substr(0, slash)), value_line(file.text, "\nname: "),
                             value_line(file.text, "\nquestion: "), description(file.text), file.text};
    if (scenario.title.empty()) scenario.title = std::string(file.path.substr(slash + 1));
    scenarios.push_back(std::move(scenario));
  }
  const auto rank = [](const LibraryScenario& s) { return std::tuple(s.category != "tutorial", s.path); };
  std::ranges::sort(scenarios, {}, rank);
  return scenarios;
}

}  // namespace rackwright::scenarios
