#include "scenarios/codec/no_effect.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "scenarios/schema/applies_when.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;

class NoEffectWalk {
 public:
  NoEffectWalk(const SourceMap& places, Diagnostics& diagnostics) : places_(places), diagnostics_(diagnostics) {}

  void visit(const pb::Message& message, const std::string& path) {
    const pb::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (!is_given(message, field)) continue;
      const std::string at = child_path(path, std::string(field.name()));
      if (const auto reason = reason_without_effect(message, field)) {
        // The path is in the sentence, which stands alone in a run's summary.
        diagnostics_.warning(places_.find(at), "", fmt::format("no effect: {}, because {}", at, *reason));
      } else if (holds_messages(field)) {
        visit_inside(message, field, at);
      }
    }
  }

 private:
  void visit_inside(const pb::Message& message, const FieldDescriptor& field, const std::string& at) {
    const pb::Reflection& reflection = *message.GetReflection();
    if (field.is_map()) {
      for (const pb::Message* entry : map_entries(message, field)) {
        visit(entry->GetReflection()->GetMessage(*entry, &map_value_field(field)), child_path(at, map_key(*entry)));
      }
    } else if (field.is_repeated()) {
      for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
        visit(reflection.GetRepeatedMessage(message, &field, i), child_path(at, static_cast<std::size_t>(i)));
      }
    } else {
      visit(reflection.GetMessage(message, &field), at);
    }
  }

  const SourceMap& places_;
  Diagnostics& diagnostics_;
};

}  // namespace

void warn_of_no_effect(const pb::Message& message, const SourceMap& places, Diagnostics& diagnostics) {
  NoEffectWalk(places, diagnostics).visit(message, "");
}

}  // namespace rackwright::scenarios
