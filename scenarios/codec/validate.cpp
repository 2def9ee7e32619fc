#include "scenarios/codec/validate.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <set>

#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/scalar_value.h"
#include "scenarios/schema/utf8.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

class Validation {
 public:
  Validation(const SourceMap& places, Diagnostics& diagnostics) : places_(places), diagnostics_(diagnostics) {}

  void check_root(const pb::Message& message) {
    const pb::Descriptor& type = *message.GetDescriptor();
    if (const std::string& document = group_of(type).document(); !document.empty()) {
      const FieldDescriptor& schema = *type.FindFieldByName("schema");
      const std::string found = is_given(message, schema) ? std::get<std::string>(get_scalar(message, schema)) : "";
      if (found != document) {
        return error("", fmt::format("this is a '{}' file, but a '{}' file is expected", found, document));
      }
    }
    check_message(message, "");
  }

 private:
  void error(const std::string& path, std::string message, std::string hint = {}) {
    diagnostics_.error(places_.find(path), path, std::move(message), std::move(hint));
  }

  void check_message(const pb::Message& message, const std::string& path) {
    const pb::Descriptor& type = *message.GetDescriptor();
    if (!message.GetReflection()->GetUnknownFields(message).empty()) {
      error(path, "has fields that this version does not know", "it was written by another version");
    }
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const std::string name(field.name());
      if (is_given(message, field)) {
        check_field(message, field, child_path(path, name));
      }
    }
  }

  void check_field(const pb::Message& message, const FieldDescriptor& field, const std::string& path) {
    const pb::Reflection& reflection = *message.GetReflection();
    if (field.is_map()) {
      const FieldDescriptor& value = map_value_field(field);
      for (const pb::Message* entry : map_entries(message, field)) {
        const std::string at = child_path(path, map_key(*entry));
        if (map_key(*entry).empty()) error(path, "a key is empty");
        if (!is_utf8(map_key(*entry))) error(path, "a key is not valid UTF-8");
        if (value.message_type()) {
          check_message(entry->GetReflection()->GetMessage(*entry, &value), at);
        } else {
          check_value(field, get_scalar(*entry, value), at);
        }
      }
    } else if (field.is_repeated()) {
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        const std::string at = child_path(path, static_cast<std::size_t>(i));
        if (field.message_type()) {
          check_message(reflection.GetRepeatedMessage(message, &field, i), at);
        } else {
          check_value(field, get_scalar(message, field, i), at);
        }
      }
      check_item_keys(message, field, path);
    } else if (field.message_type()) {
      check_message(reflection.GetMessage(message, &field), path);
    } else {
      check_value(field, get_scalar(message, field), path);
    }
  }

  void check_value(const FieldDescriptor& field, const ScalarValue& value, const std::string& path) {
    if (const auto problem = value_problem(field, value)) error(path, problem->message, problem->hint);
  }

  void check_item_keys(const pb::Message& message, const FieldDescriptor& field, const std::string& path) {
    const FieldDescriptor* key = field.message_type() ? key_field(*field.message_type()) : nullptr;
    if (!key) return;
    std::set<std::string> used;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
      const pb::Message& item = message.GetReflection()->GetRepeatedMessage(message, &field, i);
      if (!is_given(item, *key)) continue;
      const std::string name = format_scalar(*key, get_scalar(item, *key));
      const std::string at = child_path(child_path(path, static_cast<std::size_t>(i)), std::string(key->name()));
      if (!used.insert(name).second) error(at, fmt::format("'{}' is used twice", name));
    }
  }

  const SourceMap& places_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate_message(const pb::Message& message, const SourceMap& places, Diagnostics& diagnostics) {
  Validation(places, diagnostics).check_root(message);
}

}  // namespace rackwright::scenarios
