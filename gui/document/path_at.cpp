#include "gui/document/path_at.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "gui/document/message_at.h"
#include "scenarios/codec/node_walk.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;
using scenarios::Node;

/// Walks down to the value around the offset. `type` is null below scalars, `many` set on a list or map as a whole.
std::string descend(const Node& node, const pb::Descriptor* type, const pb::FieldDescriptor* many, std::string path, std::size_t offset) {
  if (many && many->is_map()) {
    for (const scenarios::NodeEntry& entry : node.entries) {
      if (offset < entry.key.begin || offset > entry.value.end) continue;
      return descend(entry.value, scenarios::held_type(*many), nullptr, scenarios::child_path(path, entry.key.value), offset);
    }
    return path;
  }
  if (many) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (offset < node.items[i].begin || offset > node.items[i].end) continue;
      return descend(node.items[i], scenarios::held_type(*many), nullptr, scenarios::child_path(path, i), offset);
    }
    return path;
  }
  if (!type) return path;
  for (const scenarios::NodeEntry& entry : node.entries) {
    if (offset < entry.key.begin || offset > std::max(entry.key.end, entry.value.end)) continue;
    const pb::FieldDescriptor* field = type->FindFieldByName(entry.key.value);
    if (!field) return path;
    const bool repeated = field->is_repeated();
    return descend(entry.value, repeated ? nullptr : field->message_type(), repeated ? field : nullptr, scenarios::child_path(path, entry.key.value), offset);
  }
  return path;
}

}  // namespace

std::string placeOf(const ScenarioSnapshot& scenario, const Diagnostic& finding) {
  std::string problem;
  const auto path = scenarios::parse_path(finding.path, problem);
  if (path && !path->empty()) return scenarios::to_string(indexedPath(scenario.message(), *path));
  if (finding.where.line <= 0 || !scenario.isWellFormed()) return {};
  const std::string& text = scenario.text();
  std::size_t offset = 0;
  for (int line = 1; line < finding.where.line && offset < text.size(); ++line) offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
  // Columns count characters.
  for (int column = 1; column < finding.where.column && offset + 1 < text.size(); ++column) {
    do ++offset;
    while (offset + 1 < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80);
  }
  return pathAt(scenario, offset);
}

std::string pathAt(const ScenarioSnapshot& scenario, std::size_t offset) {
  return descend(scenario.editable().tree(), v1::Scenario::descriptor(), nullptr, {}, offset);
}

}  // namespace rackwright::gui
