#include "scenarios/codec/required.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

class Walk {
 public:
  Walk(const SourceMap& places, Diagnostics& diagnostics) : places_(places), diagnostics_(diagnostics) {}

  void visit(const pb::Message& message, const std::string& path) {
    const pb::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const std::string name(field.name());
      const std::string at = child_path(path, name);
      if (is_given(message, field)) {
        if (holds_messages(field)) visit_field(message, field, at);
      } else if (parameter_of(field).required() && !places_.is_written(at)) {
        diagnostics_.error(places_.find(path), path, fmt::format("'{}' is missing", name), missing_hint(field));
      }
    }
  }

 private:
  void visit_field(const pb::Message& message, const FieldDescriptor& field, const std::string& path) {
    const pb::Reflection& reflection = *message.GetReflection();
    if (field.is_map()) {
      for (const pb::Message* entry : map_entries(message, field)) {
        visit(entry->GetReflection()->GetMessage(*entry, &map_value_field(field)), child_path(path, map_key(*entry)));
      }
    } else if (field.is_repeated()) {
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        visit(reflection.GetRepeatedMessage(message, &field, i), child_path(path, static_cast<std::size_t>(i)));
      }
    } else {
      visit(reflection.GetMessage(message, &field), path);
    }
  }

  const SourceMap& places_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report_missing(const pb::Message& message, const SourceMap& places, Diagnostics& diagnostics) {
  Walk(places, diagnostics).visit(message, "");
}

std::string missing_hint(const FieldDescriptor& field) {
  const v1::Parameter& rules = parameter_of(field);
  if (rules.example().empty()) return rules.help();
  return fmt::format("{}, as in '{}: {}'", rules.help(), std::string(field.name()), rules.example());
}

}  // namespace rackwright::scenarios
