#include "topologies/graph/attributes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace rackwright::topologies {

namespace {

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename Number>
Number number_or(const Attributes& attributes, std::string_view name, Number fallback) {
  return number<Number>(value(attributes, name)).value_or(fallback);
}

double not_negative(const Attributes& attributes, std::string_view name, double fallback) {
  const double read = number_or(attributes, name, fallback);
  return std::isfinite(read) && read >= 0 ? read : fallback;
}

/// Seven whole numbers; nothing else.
std::optional<std::array<long, 7>> grid_numbers(std::string_view text) {
  std::array<long, 7> numbers{};
  for (long& each : numbers) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), each);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (text.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  return numbers;
}

bool fits(const std::array<long, 7>& n, long vertices) {
  for (std::size_t i = 1; i < 4; ++i)
    if (n[i] < 1 || n[i] > vertices) return false;
  return n[0] >= 0 && n[1] * n[2] <= vertices && n[0] + n[1] * n[2] * n[3] <= vertices;
}

}  // namespace

std::string_view value(const Attributes& attributes, std::string_view name) {
  const auto place = attributes.find(name);
  return place == attributes.end() ? std::string_view{} : std::string_view(place->second);
}

Attributes vertex_attributes(const Topology& topology, VertexIndex index) {
  const Vertex& vertex = topology[index];
  const Vertex plain;
  Attributes attributes;
  if (vertex.kind != plain.kind) attributes["kind"] = to_string(vertex.kind);
  if (vertex.forwarding != plain.forwarding) attributes["forwarding"] = to_string(vertex.forwarding);
  if (vertex.tier != plain.tier) attributes["tier"] = fmt::format("{}", vertex.tier);
  if (vertex.reduces) attributes["reduces"] = "true";
  if (vertex.ports != plain.ports) attributes["ports"] = fmt::format("{}", vertex.ports);
  for (const DomainIndex domain : vertex.domains)
    if (domain != no_domain) attributes[std::string(to_string(topology[domain].kind))] = topology[domain].name;
  return attributes;
}

void apply(const Attributes& attributes, TopologyBuilder& builder, Vertex& vertex) {
  vertex.kind = parse_vertex_kind(value(attributes, "kind")).value_or(vertex.kind);
  vertex.forwarding = parse_forwarding(value(attributes, "forwarding")).value_or(vertex.forwarding);
  vertex.tier = number_or(attributes, "tier", vertex.tier);
  vertex.ports = number_or(attributes, "ports", vertex.ports);
  if (value(attributes, "reduces") == "true") vertex.reduces = true;
  for (int k = 0; k < domain_kind_count; ++k) {
    const auto kind = static_cast<DomainKind>(k);
    if (const std::string_view name = value(attributes, to_string(kind)); !name.empty()) vertex.in(kind) = builder.domain(kind, name);
  }
}

Attributes cable_attributes(const Topology& topology, LinkIndex index) {
  const Link& link = topology[index];
  // {} writes the shortest text that reads back to the same double.
  return {{"bandwidth_Bps", fmt::format("{}", link.bandwidth)},
          {"back_bandwidth_Bps", fmt::format("{}", topology[reverse(index)].bandwidth)},
          {"latency_s", fmt::format("{}", link.latency_s)},
          {"link_kind", std::string(to_string(link.kind))},
          {"cable", std::string(to_string(link.cable))},
          {"lanes", fmt::format("{}", link.lanes)},
          {"from_port", fmt::format("{}", link.from_port)},
          {"to_port", fmt::format("{}", link.to_port)}};
}

CableDescription cable_description(const Attributes& attributes, const LinkSpec& fallback) {
  CableDescription cable{fallback, 0, {}};
  cable.spec.bandwidth = not_negative(attributes, "bandwidth_Bps", fallback.bandwidth);
  cable.back_bandwidth = not_negative(attributes, "back_bandwidth_Bps", cable.spec.bandwidth);
  cable.spec.latency_s = not_negative(attributes, "latency_s", fallback.latency_s);
  cable.spec.kind = parse_link_kind(value(attributes, "link_kind")).value_or(fallback.kind);
  cable.spec.cable = parse_cable(value(attributes, "cable")).value_or(fallback.cable);
  cable.spec.lanes = std::max<std::uint16_t>(1, number_or(attributes, "lanes", fallback.lanes));
  cable.ports = {number_or<std::uint16_t>(attributes, "from_port", 0), number_or<std::uint16_t>(attributes, "to_port", 0)};
  return cable;
}

std::string grids_text(const Topology& topology) {
  std::string text;
  for (const Grid& grid : topology.grids())
    text += fmt::format("{}{} {} {} {} {:d} {:d} {:d}", text.empty() ? "" : "; ", grid.first.value, grid.size[0], grid.size[1], grid.size[2],
                        grid.wraps[0], grid.wraps[1], grid.wraps[2]);
  return text;
}

bool add_grids(std::string_view text, TopologyBuilder& builder) {
  bool all = true;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const auto numbers = grid_numbers(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!numbers || !fits(*numbers, static_cast<long>(builder.vertex_count()))) {
      all = false;
      continue;
    }
    const auto& n = *numbers;
    builder.add_grid({{static_cast<std::uint32_t>(n[0])},
                      {static_cast<int>(n[1]), static_cast<int>(n[2]), static_cast<int>(n[3])},
                      {n[4] == 1, n[5] == 1, n[6] == 1}});
  }
  return all;
}

}  // namespace rackwright::topologies
