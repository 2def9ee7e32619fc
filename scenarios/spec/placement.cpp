#include "scenarios/spec/placement.h"

#include <fmt/format.h>

#include <charconv>

#include "models/base/names.h"

namespace rackwright::scenarios {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || stop != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<int> HallSpec::find(std::string_view name) const {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].name == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::variant<DeviceRange, PlacementProblem> parse_placement(std::string_view text, const HallSpec& hall) {
  const auto bracket = text.find('[');
  const std::string_view name = text.substr(0, bracket);
  const std::optional<int> group = hall.find(name);
  if (!group) {
    std::vector<std::string> names;
    for (const RackGroupSpec& racks : hall.groups) names.push_back(racks.name);
    return PlacementProblem{fmt::format("no rack is called '{}'", name), name_hint(name, names)};
  }
  const int devices = hall.groups[static_cast<std::size_t>(*group)].devices();
  if (devices == 0) return PlacementProblem{fmt::format("the racks '{}' have no devices", name), "give 'node.devices' a number"};
  if (bracket == std::string_view::npos) return DeviceRange{*group, 0, devices - 1};

  const PlacementProblem malformed{fmt::format("'{}' is not a range of devices", text),
                                   fmt::format("write {0}[0..{1}] or {0}[0]", name, devices - 1)};
  if (text.back() != ']') return malformed;
  const std::string_view inside = text.substr(bracket + 1, text.size() - bracket - 2);
  const auto dots = inside.find("..");
  const std::optional<int> first = whole_number(inside.substr(0, dots));
  const std::optional<int> last = dots == std::string_view::npos ? first : whole_number(inside.substr(dots + 2));
  if (!first || !last || *first > *last) return malformed;
  if (*last >= devices) {
    return PlacementProblem{fmt::format("'{}' asks for device {}, but '{}' has {} devices", text, *last, name, devices),
                            fmt::format("the last one is {}[{}]", name, devices - 1)};
  }
  return DeviceRange{*group, *first, *last};
}

}  // namespace rackwright::scenarios
