#include "topologies/importers/simgrid_units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "topologies/importers/text_lines.h"

namespace rackwright::topologies {

namespace {

using Prefix = std::pair<std::string_view, double>;
constexpr std::array<Prefix, 12> prefixes{{{"", 1},
                                           {"k", 1e3},
                                           {"K", 1e3},
                                           {"M", 1e6},
                                           {"G", 1e9},
                                           {"T", 1e12},
                                           {"Ki", 1024.0},
                                           {"Mi", 1024.0 * 1024},
                                           {"Gi", 1024.0 * 1024 * 1024},
                                           {"Ti", 1024.0 * 1024 * 1024 * 1024},
                                           {"P", 1e15},
                                           {"E", 1e18}}};
constexpr std::array<Prefix, 9> times{
    {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}, {"m", 60}, {"h", 3600}, {"d", 86400}}};

struct Measure {
  double value = 0;
  std::string_view unit;
};

std::optional<Measure> measure(std::string_view text) {
  text = trimmed(text);
  Measure read;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read.value);
  if (error != std::errc() || !std::isfinite(read.value) || read.value < 0) return std::nullopt;
  read.unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return read;
}

}  // namespace

std::optional<double> simgrid_bandwidth(std::string_view text) {
  const std::optional<Measure> read = measure(text.substr(0, text.find(',')));
  if (!read) return std::nullopt;
  if (read->unit.empty()) return read->value;
  for (const auto& [prefix, scale] : prefixes)
    for (const auto& [suffix, bytes] : {Prefix{"Bps", 1.0}, Prefix{"bps", 0.125}})
      if (read->unit.starts_with(prefix) && read->unit.substr(prefix.size()) == suffix) return read->value * scale * bytes;
  return std::nullopt;
}

std::optional<double> simgrid_time(std::string_view text) {
  const std::optional<Measure> read = measure(text);
  if (!read) return std::nullopt;
  for (const auto& [unit, seconds] : times)
    if (read->unit == unit) return read->value * seconds;
  return std::nullopt;
}

std::optional<std::vector<long>> simgrid_radical(std::string_view text, std::size_t most) {
  std::vector<long> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = to_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
    if (static_cast<std::size_t>(*last - *first) >= most - numbers.size()) return std::nullopt;
    for (long n = *first; n <= *last; ++n) numbers.push_back(n);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::vector<int>> simgrid_list(std::string_view text, char separator) {
  std::vector<int> numbers;
  while (true) {
    const std::size_t end = text.find(separator);
    const auto number = to_integer(text.substr(0, end));
    if (!number || *number < 1 || *number > 1'000'000) return std::nullopt;
    numbers.push_back(static_cast<int>(*number));
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

}  // namespace rackwright::topologies
