#include "gui/item_models/property_builder.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <optional>

#include "gui/document/message_at.h"
#include "gui/item_models/preset_values.h"
#include "gui/item_models/summary_text.h"
#include "scenarios/codec/node_walk.h"
#include "scenarios/schema/applies_when.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;
using scenarios::Node;
using Branch = TreeBranch<PropertyItem>;

/// A group deeper than this stands in itself.
constexpr int deepest = 12;

/// The same group in the file, in its text, in the preset below it, and with everything resolved; each may be null.
struct Place {
  const pb::Descriptor* type = nullptr;
  const pb::Message* written = nullptr;
  const Node* node = nullptr;
  SharedMessage preset = {};
  QString presetName = {};
  const pb::Message* resolved = nullptr;
};

QString scalarText(const pb::Message& message, const pb::FieldDescriptor& field) {
  return QString::fromStdString(scenarios::format_scalar(field, scenarios::get_scalar(message, field)));
}

const pb::Message* childOf(const pb::Message* message, const pb::FieldDescriptor& field) {
  if (!message || !message->GetReflection()->HasField(*message, &field)) return nullptr;
  return &message->GetReflection()->GetMessage(*message, &field);
}

/// The text of the field's value; a bare text stands for the shorthand field.
const Node* nodeOf(const Node* group, const pb::Descriptor& type, const pb::FieldDescriptor& field) {
  if (!group) return nullptr;
  if (const scenarios::NodeEntry* entry = group->find(std::string(field.name()))) return &entry->value;
  if (scenarios::is_shorthand(*group, type) && scenarios::shorthand_field(type) == &field) return group;
  return nullptr;
}

QString listText(const Node& list) {
  if (list.is_scalar()) return QString::fromStdString(list.value);
  QStringList values;
  for (const Node& item : list.items) values.push_back(QString::fromStdString(item.value));
  return QStringLiteral("[%1]").arg(values.join(QStringLiteral(", ")));
}

class Builder {
 public:
  Builder(const v1::Scenario& scenario, PresetValues& presets) : scenario_(scenario), presets_(presets) {}

  /// Enters a group: its own preset takes the place of what an outer one gives.
  Place enter(const Place& outer, const pb::FieldDescriptor& field, const pb::Message* written, const Node* node) const {
    Place place{scenarios::held_type(field), written, node, {}, {}, nullptr};
    if (!field.is_repeated()) {
      if (const pb::Message* below = childOf(outer.preset.get(), field)) {
        place.preset = SharedMessage(outer.preset, below);
        place.presetName = outer.presetName;
      }
      place.resolved = childOf(outer.resolved, field);
    }
    layPreset(place);
    return place;
  }

  void layPreset(Place& place) const {
    const std::string& kind = scenarios::group_of(*place.type).catalog();
    const pb::FieldDescriptor* field = kind.empty() ? nullptr : place.type->FindFieldByName("preset");
    if (!field || !place.written || !scenarios::is_given(*place.written, *field)) return;
    const std::string name = std::get<std::string>(scenarios::get_scalar(*place.written, *field));
    if (SharedMessage preset = presets_.find(scenario_, kind, name)) {
      place.preset = std::move(preset);
      place.presetName = QString::fromStdString(name);
    }
  }

  std::vector<Branch> group(const Place& place, const std::string& path, int depth) const {
    std::vector<Branch> rows;
    if (depth == deepest) return rows;
    for (int i = 0; i < place.type->field_count(); ++i) rows.push_back(row(place, *place.type->field(i), path, depth));
    return rows;
  }

  /// The items of a list or the entries of a map.
  std::vector<Branch> items(const pb::Message* holder, const pb::FieldDescriptor& field, const std::string& path, const Node* node) const {
    std::vector<Branch> rows;
    if (!holder) return rows;
    if (field.is_map()) {
      for (const pb::Message* entry : scenarios::map_entries(*holder, field)) rows.push_back(mapEntry(*entry, field, path, node));
      return rows;
    }
    const int size = holder->GetReflection()->FieldSize(*holder, &field);
    for (int i = 0; i < size; ++i) {
      const pb::Message& item = holder->GetReflection()->GetRepeatedMessage(*holder, &field, i);
      PropertyItem content = about(field, scenarios::child_path(path, static_cast<std::size_t>(i)), PropertyKind::item);
      const std::string name = nameOfItem(item);
      content.name = name.empty() ? QStringLiteral("[%1]").arg(i) : QString::fromStdString(name);
      content.given = true;
      content.value = summaryText(item);
      content.origin = PropertyOrigin::file;
      rows.push_back({std::to_string(i), std::move(content)});
    }
    return rows;
  }

 private:
  static PropertyItem about(const pb::FieldDescriptor& field, std::string path, PropertyKind kind) {
    PropertyItem item;
    item.path = std::move(path);
    item.name = readableName(std::string(field.name()));
    item.kind = kind;
    item.field = &field;
    return item;
  }

  Branch mapEntry(const pb::Message& entry, const pb::FieldDescriptor& field, const std::string& path, const Node* node) const {
    const std::string key = scenarios::map_key(entry);
    const pb::FieldDescriptor& value = *entry.GetDescriptor()->map_value();
    const bool holdsGroup = value.message_type() != nullptr;
    PropertyItem content = about(field, scenarios::child_path(path, key), holdsGroup ? PropertyKind::item : PropertyKind::entry);
    content.name = QString::fromStdString(key);
    content.given = true;
    content.origin = PropertyOrigin::file;
    if (holdsGroup) {
      content.value = summaryText(entry.GetReflection()->GetMessage(entry, &value));
    } else {
      const scenarios::NodeEntry* written = node ? node->find(key) : nullptr;
      content.value = written ? QString::fromStdString(written->value.value) : scalarText(entry, value);
    }
    return {key, std::move(content)};
  }

  Branch row(const Place& place, const pb::FieldDescriptor& field, const std::string& holderPath, int depth) const {
    const std::string name(field.name());
    const std::string path = scenarios::child_path(holderPath, name);
    const bool given = place.written && scenarios::is_given(*place.written, field);
    const Node* node = nodeOf(place.node, *place.type, field);
    Branch branch{name, about(field, path, PropertyKind::scalar)};
    PropertyItem& item = branch.content;
    item.given = given;
    if (given) item.origin = PropertyOrigin::file;
    if (const auto reason = reasonWithoutEffect(place, field)) item.noEffect = QString::fromStdString(*reason);

    if (field.is_repeated() && (field.is_map() || scenarios::holds_messages(field))) {
      item.kind = PropertyKind::collection;
      const int size = given ? place.written->GetReflection()->FieldSize(*place.written, &field) : 0;
      if (size > 0) item.value = QString::number(size);
      branch.children = items(given ? place.written : nullptr, field, path, node);
    } else if (field.is_repeated()) {
      item.kind = PropertyKind::scalarList;
      if (given && node) item.value = listText(*node);
      fallBack(item, place, field);
    } else if (field.message_type()) {
      item.kind = PropertyKind::group;
      const Place inside = enter(place, field, childOf(place.written, field), node);
      item.preset = inside.presetName;
      if (given) item.value = summaryText(*inside.written);
      else if (inside.preset) item.fallback = summaryText(*inside.preset), item.origin = PropertyOrigin::preset;
      branch.children = group(inside, path, depth + 1);
    } else {
      if (given) item.value = node && node->is_scalar() ? QString::fromStdString(node->value) : scalarText(*place.written, field);
      fallBack(item, place, field);
    }
    return branch;
  }

  static std::optional<std::string> reasonWithoutEffect(const Place& place, const pb::FieldDescriptor& field) {
    if (scenarios::parameter_of(field).applies_when().empty()) return std::nullopt;
    // Values of the preset count as well; the resolved group has them.
    if (place.resolved && place.written) return scenarios::reason_without_effect(*place.resolved, field);
    if (place.written) return scenarios::reason_without_effect(*place.written, field);
    return scenarios::reason_without_effect(*pb::MessageFactory::generated_factory()->GetPrototype(place.type), field);
  }

  static void fallBack(PropertyItem& item, const Place& place, const pb::FieldDescriptor& field) {
    PropertyOrigin origin = PropertyOrigin::none;
    const bool inPreset = place.preset && scenarios::is_given(*place.preset, field);
    const std::string& standard = scenarios::parameter_of(field).default_();
    if (inPreset && !field.is_repeated()) {
      item.fallback = scalarText(*place.preset, field);
      item.preset = place.presetName;
      origin = PropertyOrigin::preset;
      item.overrides = item.given && std::string_view(field.name()) != "preset";
    } else if (!standard.empty()) {
      item.fallback = QString::fromStdString(standard);
      origin = PropertyOrigin::standard;
    } else if (!field.is_repeated() && place.resolved && !item.given && scenarios::is_given(*place.resolved, field)) {
      item.fallback = scalarText(*place.resolved, field);
      origin = PropertyOrigin::derived;
    }
    if (!item.given) item.origin = origin;
  }

  const v1::Scenario& scenario_;
  PresetValues& presets_;
};

}  // namespace

std::vector<Branch> propertyRows(const ScenarioSnapshot& scenario, const v1::Scenario* resolved, PresetValues& presets,
                                 const std::string& pathText) {
  std::string problem;
  const auto path = scenarios::parse_path(pathText, problem);
  if (!path) return {};
  const Builder builder(scenario.message(), presets);
  Place place{v1::Scenario::descriptor(), &scenario.message(), scenario.isWellFormed() ? &scenario.editable().tree() : nullptr, {}, {}, resolved};
  for (std::size_t i = 0; i < path->size(); ++i) {
    const scenarios::PathStep& step = (*path)[i];
    const pb::FieldDescriptor* field = place.type->FindFieldByName(step.key);
    if (!field || (!scenarios::holds_messages(*field) && !field->is_map())) return {};
    const Node* node = nodeOf(place.node, *place.type, *field);
    if (!field->is_repeated()) {
      place = builder.enter(place, *field, childOf(place.written, *field), node);
      continue;
    }
    const scenarios::Path collection(path->begin(), path->begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i + 1 == path->size()) return builder.items(place.written, *field, scenarios::to_string(collection), node);
    if (!scenarios::held_type(*field)) return {};
    const scenarios::Path itemPath(path->begin(), path->begin() + static_cast<std::ptrdiff_t>(i) + 2);
    const pb::Message* item = messageAt(scenario.message(), itemPath);
    if (!item) return {};
    const Node* itemNode = nullptr;
    if (node && field->is_map()) {
      if (const scenarios::NodeEntry* entry = node->find((*path)[i + 1].key)) itemNode = &entry->value;
    } else if (node && node->is_list()) {
      if (const auto index = scenarios::find_item(*node, *field, (*path)[i + 1])) itemNode = &node->items[*index];
    }
    const pb::Message* resolvedItem = resolved ? messageAt(*resolved, itemPath) : nullptr;
    place = builder.enter(place, *field, item, itemNode);
    place.resolved = resolvedItem;
    ++i;
  }
  return builder.group(place, pathText, 0);
}

}  // namespace rackwright::gui
