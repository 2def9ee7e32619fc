#include "traces/records/tool_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/base/saturating.h"

namespace rackwright::traces {
namespace {

bool is_plain(char c) { return c > ' ' && c < 0x7f && c != '%' && c != '@' && c != ';' && c != ',' && c != '"' && c != '\\'; }

std::optional<std::string> decoded(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [stop, failure] = std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
    if (failure != std::errc{} || stop != text.data() + i + 3) return std::nullopt;
    name += static_cast<char>(byte);
    i += 2;
  }
  return name;
}

template <class Integer>
bool read_number(std::string_view text, Integer& value) {
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && stop == text.data() + text.size() && value >= 0;
}

}  // namespace

std::string tools_text(std::span<const ToolStep> tools, const std::function<std::string_view(std::uint32_t)>& name_of) {
  std::string text;
  for (const ToolStep& step : tools) {
    if (!text.empty()) text += ';';
    for (const char c : name_of(step.tool)) text += is_plain(c) ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
    text += fmt::format("@{}@{}", step.work.ps, step.round);
  }
  return text;
}

std::optional<std::vector<ToolStep>> read_tools(std::string_view text, const std::function<std::uint32_t(std::string_view)>& id_of) {
  std::vector<ToolStep> tools;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t second = item.rfind('@');
    if (second == std::string_view::npos || second == 0) return std::nullopt;
    const std::size_t first = item.rfind('@', second - 1);
    if (first == std::string_view::npos) return std::nullopt;
    ToolStep step;
    const std::optional<std::string> name = decoded(item.substr(0, first));
    const bool is_first = tools.empty();
    if (!name || !read_number(item.substr(first + 1, second - first - 1), step.work.ps) || !read_number(item.substr(second + 1), step.round) ||
        (!is_first && step.round < tools.back().round))
      return std::nullopt;
    step.tool = id_of(*name);
    tools.push_back(step);
  }
  return tools;
}

SimTime critical_path(std::span<const ToolStep> tools) {
  SimTime path;
  for (auto step = tools.begin(); step != tools.end();) {
    const std::int32_t round = step->round;
    SimTime longest;
    for (; step != tools.end() && step->round == round; ++step) longest = std::max(longest, step->work);
    path = saturating_sum(path, longest);
  }
  return path;
}

}  // namespace rackwright::traces
