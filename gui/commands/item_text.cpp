#include "gui/commands/item_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <vector>

#include "gui/document/message_at.h"
#include "scenarios/codec/path_target.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scalar_value.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/schema/written_names.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;

/// "name-2", "name-3", … unless the name itself is free; a number at its end counts on.
std::string freeName(std::string name, const std::vector<std::string>& taken) {
  const auto isTaken = [&](const std::string& n) { return std::ranges::find(taken, n) != taken.end(); };
  if (!isTaken(name)) return name;
  const std::size_t dash = name.rfind('-');
  const bool numbered = dash != std::string::npos && dash + 1 < name.size() &&
                        name.find_first_not_of("0123456789", dash + 1) == std::string::npos;
  if (numbered) name.resize(dash);
  for (int n = 2;; ++n) {
    std::string numberedName = name + "-" + std::to_string(n);
    if (!isTaken(numberedName)) return numberedName;
  }
}

std::vector<std::string> keysIn(const pb::Message& holder, const pb::FieldDescriptor& list) {
  std::vector<std::string> keys;
  if (list.is_map()) {
    for (const pb::Message* entry : scenarios::map_entries(holder, list)) keys.push_back(scenarios::map_key(*entry));
    return keys;
  }
  if (!list.message_type()) return keys;
  const pb::Reflection& values = *holder.GetReflection();
  for (int i = 0; i < values.FieldSize(holder, &list); ++i) keys.push_back(nameOfItem(values.GetRepeatedMessage(holder, &list, i)));
  return keys;
}

bool isPlain(const std::string& text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./ ") == std::string::npos;
}

std::string written(const std::string& text) {
  if (isPlain(text)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// What a required field says in a new item.
class Filler {
 public:
  explicit Filler(const v1::Scenario& scenario) : scenario_(scenario) {}

  std::string scalar(const pb::FieldDescriptor& field) const {
    const v1::Parameter& rules = scenarios::parameter_of(field);
    if (rules.refers_to() == "rack" && scenario_.facility().racks_size() > 0 && scenario_.facility().racks(0).has_name()) {
      return written(scenario_.facility().racks(0).name());
    }
    if (!rules.example().empty()) return rules.example();
    if (!rules.default_().empty()) return rules.default_();
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_ENUM: return scenarios::written_names(*field.enum_type()).front();
      case pb::FieldDescriptor::CPPTYPE_BOOL: return "false";
      case pb::FieldDescriptor::CPPTYPE_INT32:
      case pb::FieldDescriptor::CPPTYPE_INT64: return std::to_string(static_cast<long long>(rules.min()));
      case pb::FieldDescriptor::CPPTYPE_DOUBLE: {
        const double value = rules.has_above() ? rules.above() + 1 : rules.min();
        return scenarios::format_scalar(field, value);
      }
      default: return written(std::string(field.name()));
    }
  }

  /// The group in flow style; a group with a shorthand that has an example is that alone.
  std::string group(const pb::Descriptor& type, const std::string& name) const {
    const pb::FieldDescriptor* bare = scenarios::shorthand_field(type);
    if (name.empty() && bare && !scenarios::parameter_of(*bare).example().empty()) return scenarios::parameter_of(*bare).example();
    std::string text;
    const pb::FieldDescriptor* key = scenarios::key_field(type);
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      const bool isKey = &field == key && !name.empty();
      if (!isKey && !scenarios::parameter_of(field).required()) continue;
      text += (text.empty() ? "" : ", ") + std::string(field.name()) + ": " + (isKey ? written(name) : value(field));
    }
    return "{" + text + "}";
  }

  std::string value(const pb::FieldDescriptor& field) const {
    if (field.is_repeated() && !field.is_map()) return "[" + item(field) + "]";
    if (field.is_map()) return "{}";
    return field.message_type() ? group(*field.message_type(), {}) : scalar(field);
  }

  std::string item(const pb::FieldDescriptor& field) const {
    const pb::Descriptor* type = scenarios::held_type(field);
    if (type) return group(*type, {});
    return scalar(field.is_map() ? scenarios::map_value_field(field) : field);
  }

 private:
  const v1::Scenario& scenario_;
};

}  // namespace

std::optional<NewItem> newItem(const ScenarioSnapshot& scenario, const std::string& pathText) {
  std::string problem;
  const auto path = scenarios::parse_path(pathText, problem);
  scenarios::ValueProblem noSuchPlace;
  const auto target = path ? scenarios::resolve_path(*v1::Scenario::descriptor(), *path, noSuchPlace) : std::nullopt;
  if (!target || target->inside || !target->field->is_repeated()) return std::nullopt;
  const pb::FieldDescriptor& list = *target->field;
  const pb::Descriptor* type = scenarios::held_type(list);

  std::size_t size = 0;
  std::vector<std::string> taken;
  const scenarios::Path holderPath(path->begin(), path->end() - 1);
  if (const pb::Message* holder = messageAt(scenario.message(), holderPath)) {
    taken = keysIn(*holder, list);
    size = static_cast<std::size_t>(holder->GetReflection()->FieldSize(*holder, &list));
  }
  const Filler filler(scenario.message());
  NewItem item;
  const pb::FieldDescriptor* key = type ? scenarios::key_field(*type) : nullptr;
  if (list.is_map()) {
    item.key = freeName(type ? lowered(std::string(type->name())) : "name", taken);
    item.path = scenarios::child_path(pathText, item.key);
    item.text = filler.item(list);
  } else {
    if (key) {
      const std::string& example = scenarios::parameter_of(*key).example();
      item.key = freeName(example.empty() ? lowered(std::string(type->name())) : example, taken);
    }
    item.index = size;
    item.path = scenarios::child_path(pathText, size);
    item.text = key ? filler.group(*type, item.key) : filler.item(list);
  }
  const std::string kind = type ? lowered(std::string(type->name())) : std::string(list.name());
  item.title = QString::fromStdString(item.key.empty() ? kind : kind + " " + item.key);
  return item;
}

std::optional<NewItem> duplicateOf(const ScenarioSnapshot& scenario, const std::string& pathText) {
  std::string problem;
  const auto path = scenarios::parse_path(pathText, problem);
  if (!path || path->size() < 2 || !path->back().index) return std::nullopt;
  scenarios::ValueProblem noSuchPlace;
  const auto target = scenarios::resolve_path(*v1::Scenario::descriptor(), *path, noSuchPlace);
  if (!target || !target->inside) return std::nullopt;
  const scenarios::Path holderPath(path->begin(), path->end() - 2);
  const pb::Message* holder = messageAt(scenario.message(), holderPath);
  const pb::Message* original = messageAt(scenario.message(), *path);
  NewItem copy;
  if (holder && original) {
    const std::string name = nameOfItem(*original);
    if (!name.empty()) copy.key = freeName(name, keysIn(*holder, *target->field));
  }
  copy.index = *path->back().index + 1;
  scenarios::Path behind = *path;
  behind.back().index = copy.index;
  copy.path = scenarios::to_string(behind);
  return copy;
}

}  // namespace rackwright::gui
