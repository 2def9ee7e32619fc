#include "scenarios/codec/message_reader.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <unordered_map>

#include "models/base/names.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scalar_value.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

std::string kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::list: return "a list";
    case Node::Kind::map: return "a mapping";
    case Node::Kind::scalar: break;
  }
  return node.is_missing() ? "nothing" : fmt::format("'{}'", node.value.substr(0, 60));
}

std::vector<std::string> field_names(const pb::Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.emplace_back(type.field(i)->name());
  return names;
}

/// What to do about a key that the type lacks: the nearest name, else the group that has one of that name.
std::string unknown_key_hint(const pb::Descriptor& type, const std::string& key) {
  const std::vector<std::string> names = field_names(type);
  if (!nearest_name(key, names).empty()) return name_hint(key, names);
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (!field.is_repeated() && field.message_type() && field.message_type()->FindFieldByName(key)) {
      return fmt::format("it belongs inside '{}'", std::string(field.name()));
    }
  }
  return name_hint(key, names);
}

class MessageReader {
 public:
  MessageReader(const SourceText& source, Diagnostics& diagnostics, const Path& at, Missing missing)
      : source_(source), diagnostics_(diagnostics), path_(at), missing_(missing) {}

  void read_root(const Node& node, pb::Message& message) {
    const std::string& document = group_of(*message.GetDescriptor()).document();
    if (!document.empty() && node.is_map() && !check_document(node, document)) return;
    read_message(node, message);
  }

  void read_field(const Node& node, const FieldDescriptor& field, pb::Message& message) {
    if (node.is_missing()) return error(node, "has no value", "write one, or remove the key");
    if (field.is_map()) return read_map(node, field, message);
    if (field.is_repeated()) return read_list(node, field, message);
    if (field.message_type()) return read_message(node, *message.GetReflection()->MutableMessage(&message, &field));
    if (const auto value = read_scalar(node, field)) set_scalar(message, field, *value);
  }

 private:
  /// Puts one step on the path while it lives.
  class Step {
   public:
    Step(Path& path, PathStep step) : path_(path) { path_.push_back(std::move(step)); }
    ~Step() { path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Path& path_;
  };

  void error(const Node& node, std::string message, std::string hint = {}) {
    diagnostics_.error(source_.location(node.begin), to_string(path_), std::move(message), std::move(hint));
  }

  bool check_document(const Node& root, const std::string& document) {
    const NodeEntry* schema = root.find("schema");
    if (!schema || !schema->value.is_scalar()) {
      error(schema ? schema->value : root, "the file does not say what it is", "begin it with 'schema: " + document + "'");
      return false;
    }
    if (schema->value.value == document) return true;
    const Step step(path_, {"schema", std::nullopt});
    error(schema->value, fmt::format("this is a '{}' file, but a '{}' file is expected", schema->value.value, document));
    return false;
  }

  void read_message(const Node& node, pb::Message& message) {
    const pb::Descriptor& type = *message.GetDescriptor();
    const FieldDescriptor* shorthand = shorthand_field(type);
    if (node.is_map()) {
      read_entries(node, message);
    } else if (shorthand && shorthand->is_repeated() && node.is_scalar()) {
      const Node list = list_node({node}, Node::Style::flow);
      read_list(list, *shorthand, message);
    } else if (shorthand && node.is_list() == shorthand->is_repeated()) {
      read_field(node, *shorthand, message);
    } else {
      return error(node, fmt::format("a mapping is expected, not {}", kind_name(node)),
                   type.field_count() == 0 ? "" : fmt::format("write {{{}: …}}", std::string(type.field(0)->name())));
    }
    if (missing_ == Missing::report) check_required(node, type);
  }

  void read_entries(const Node& node, pb::Message& message) {
    const pb::Descriptor& type = *message.GetDescriptor();
    for (const NodeEntry& entry : node.entries) {
      const FieldDescriptor* field = type.FindFieldByName(entry.key.value);
      if (!field) {
        error(entry.key, fmt::format("unknown key '{}'", entry.key.value), unknown_key_hint(type, entry.key.value));
        continue;
      }
      if (entry.value.is_null()) continue;
      const Step step(path_, {entry.key.value, std::nullopt});
      read_field(entry.value, *field, message);
    }
  }

  /// Looks at what is written, not at what could be read, so that one mistake is reported once.
  void check_required(const Node& node, const pb::Descriptor& type) {
    const FieldDescriptor* shorthand = node.is_map() ? nullptr : shorthand_field(type);
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (!parameter_of(field).required() || &field == shorthand) continue;
      const std::string name(field.name());
      const NodeEntry* entry = node.find(name);
      if (entry && !entry->value.is_null()) continue;
      error(node, fmt::format("'{}' is missing", name), missing_hint(field));
    }
  }

  void read_list(const Node& node, const FieldDescriptor& field, pb::Message& message) {
    if (!node.is_list()) {
      return error(node, fmt::format("a list is expected, not {}", kind_name(node)),
                   node.is_scalar() ? fmt::format("write [{}]", node.value.substr(0, 60)) : "begin every item with '- '");
    }
    if (node.items.empty() && parameter_of(field).required()) error(node, "must have at least one entry");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      const Step step(path_, {{}, i});
      if (item.is_missing() || item.is_null()) {
        error(item, "has no value", "write one, or remove the item");
      } else if (field.message_type()) {
        read_message(item, *message.GetReflection()->AddMessage(&message, &field));
      } else if (const auto value = read_scalar(item, field)) {
        append_scalar(message, field, *value);
      }
    }
    if (field.message_type()) check_item_keys(node, *field.message_type());
  }

  /// Items are addressed by their key, which must then be unique.
  void check_item_keys(const Node& list, const pb::Descriptor& type) {
    const FieldDescriptor* key = key_field(type);
    if (!key) return;
    std::unordered_map<std::string, const Node*> first;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const NodeEntry* entry = list.items[i].find(std::string(key->name()));
      if (!entry || !entry->value.is_scalar() || entry->value.is_missing()) continue;
      const auto [at, is_new] = first.emplace(entry->value.value, &entry->value);
      if (is_new) continue;
      const Step index(path_, {{}, i});
      const Step name(path_, {entry->key.value, std::nullopt});
      error(entry->value, fmt::format("'{}' is used twice", entry->value.value),
            fmt::format("first in line {}", source_.location(at->second->begin).line));
    }
  }

  void read_map(const Node& node, const FieldDescriptor& field, pb::Message& message) {
    if (!node.is_map()) {
      return error(node, fmt::format("a mapping of names is expected, not {}", kind_name(node)), "write {name: …}");
    }
    if (node.entries.empty() && parameter_of(field).required()) error(node, "must have at least one entry");
    const FieldDescriptor& value_field = map_value_field(field);
    for (const NodeEntry& entry : node.entries) {
      const Step step(path_, {entry.key.value, std::nullopt});
      if (entry.value.is_null()) continue;
      if (entry.value.is_missing()) {
        error(entry.value, "has no value", "write one, or remove the key");
        continue;
      }
      if (value_field.message_type()) {
        pb::Message& added = add_map_entry(message, field, entry.key.value);
        read_message(entry.value, *added.GetReflection()->MutableMessage(&added, &value_field));
      } else if (const auto value = read_scalar(entry.value, field)) {
        set_scalar(add_map_entry(message, field, entry.key.value), value_field, *value);
      }
    }
  }

  std::optional<ScalarValue> read_scalar(const Node& node, const FieldDescriptor& field) {
    if (!node.is_scalar()) {
      error(node, fmt::format("{} is expected, not {}", expected_value(field), kind_name(node)));
      return std::nullopt;
    }
    ValueProblem problem;
    const std::optional<ScalarValue> value = parse_scalar(field, node.value, problem);
    if (!value) error(node, problem.message, problem.hint);
    return value;
  }

  const SourceText& source_;
  Diagnostics& diagnostics_;
  Path path_;
  Missing missing_;
};

}  // namespace

void read_tree(const Node& tree, const SourceText& source, pb::Message& message, Diagnostics& diagnostics, const Path& at,
               Missing missing) {
  MessageReader(source, diagnostics, at, missing).read_root(tree, message);
}

void read_field_tree(const Node& value, const SourceText& source, const FieldDescriptor& field, pb::Message& message,
                     Diagnostics& diagnostics, const Path& at) {
  message.GetReflection()->ClearField(&message, &field);
  if (!value.is_null()) MessageReader(source, diagnostics, at, Missing::report).read_field(value, field, message);
}

}  // namespace rackwright::scenarios
