#include "scenarios/schema/path.h"

#include <fmt/format.h>

#include <charconv>

namespace rackwright::scenarios {
namespace {

constexpr std::string_view special = ".[]\" ";

std::string written_key(std::string_view key) {
  if (!key.empty() && key.find_first_of(special) == std::string_view::npos) return std::string(key);
  std::string quoted = "\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// Takes one step off the front of `rest`; nothing and `problem` when there is none to take.
std::optional<PathStep> take_quoted(std::string_view& rest, std::string& problem) {
  PathStep step;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return step;
    }
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    step.key += rest[i];
  }
  problem = "a quote is not closed";
  return std::nullopt;
}

std::optional<PathStep> take_index(std::string_view& rest, std::string& problem) {
  const auto close = rest.find(']');
  if (close != std::string_view::npos) {
    std::size_t index = 0;
    const char* end = rest.data() + close;
    const auto [stop, failure] = std::from_chars(rest.data() + 1, end, index);
    if (stop == end && failure == std::errc{}) {
      rest.remove_prefix(close + 1);
      return PathStep{{}, index};
    }
  }
  problem = "an index is written [0], [1], …";
  return std::nullopt;
}

std::optional<PathStep> take_key(std::string_view& rest, std::string& problem) {
  if (rest.starts_with('"')) return take_quoted(rest, problem);
  const std::string_view key = rest.substr(0, rest.find_first_of(special));
  if (key.empty()) {
    problem = "a name is missing";
    return std::nullopt;
  }
  rest.remove_prefix(key.size());
  return PathStep{std::string(key), std::nullopt};
}

}  // namespace

std::optional<Path> parse_path(std::string_view text, std::string& problem) {
  Path path;
  std::string_view rest = text;
  while (!rest.empty()) {
    const bool index = rest.starts_with('[') && !path.empty();
    if (!index && !path.empty()) {
      if (!rest.starts_with('.')) {
        problem = fmt::format("'.' or '[' is expected before '{}'", rest);
        return std::nullopt;
      }
      rest.remove_prefix(1);
    }
    std::optional<PathStep> step = index ? take_index(rest, problem) : take_key(rest, problem);
    if (!step) return std::nullopt;
    path.push_back(std::move(*step));
  }
  return path;
}

std::string to_string(const Path& path) {
  std::string text;
  for (const PathStep& step : path) text = step.index ? child_path(text, *step.index) : child_path(text, step.key);
  return text;
}

std::string child_path(std::string_view path, std::string_view key) {
  std::string text(path);
  if (!text.empty()) text += '.';
  return text += written_key(key);
}

std::string child_path(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

}  // namespace rackwright::scenarios
