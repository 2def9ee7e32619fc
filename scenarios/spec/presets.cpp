#include "scenarios/spec/presets.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <memory>

#include "models/base/names.h"
#include "scenarios/codec/merge.h"
#include "scenarios/schema/model.pb.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/model_reader.h"

namespace rackwright::scenarios {
namespace {

/// Entries that name each other in a circle end here; a rack holds a node that holds a device.
constexpr int deepest_chain = 8;

class Expansion {
 public:
  Expansion(const PresetSource& presets, Findings& findings) : presets_(presets), findings_(findings) {}

  void expand(pb::Message& message, const std::string& path) {
    for (int depth = 0; lay_over_preset(message, path); ++depth) {
      if (depth == deepest_chain) {
        findings_.error(path, "its presets refer to each other without end");
        return;
      }
    }
    expand_inside(message, path);
  }

 private:
  /// Whether the entry that was laid under the message names a further preset.
  bool lay_over_preset(pb::Message& message, const std::string& path) {
    const std::string& kind = group_of(*message.GetDescriptor()).catalog();
    if (kind.empty()) return false;
    const pb::FieldDescriptor* field = message.GetDescriptor()->FindFieldByName("preset");
    if (!field || !is_given(message, *field)) return false;
    const std::string name = std::get<std::string>(get_scalar(message, *field));
    const pb::Message* entry = presets_.find(kind, name);
    if (!entry) {
      findings_.error(child_path(path, "preset"), fmt::format("no {} is called '{}'", kind, name),
                      name_hint(name, presets_.names(kind)));
      return false;
    }
    const std::unique_ptr<pb::Message> merged(entry->New());
    merged->CopyFrom(*entry);
    const bool has_further = is_given(*merged, *field);
    const std::string further = has_further ? std::get<std::string>(get_scalar(*merged, *field)) : std::string();
    if (auto* model = dynamic_cast<v1::Model*>(merged.get())) give_way_to_all(*model, dynamic_cast<const v1::Model&>(message));
    merge_preset(*merged, message);
    if (has_further) set_scalar(*merged, *field, further);
    message.CopyFrom(*merged);
    return has_further;
  }

  void expand_inside(pb::Message& message, const std::string& path) {
    const pb::Descriptor& type = *message.GetDescriptor();
    const pb::Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      if (!holds_messages(field) || !is_given(message, field)) continue;
      const std::string at = child_path(path, field.name());
      if (field.is_map()) {
        for (const pb::Message* entry : map_entries(message, field)) {
          auto& mutable_entry = const_cast<pb::Message&>(*entry);
          const pb::FieldDescriptor& value = map_value_field(field);
          expand(*mutable_entry.GetReflection()->MutableMessage(&mutable_entry, &value), child_path(at, map_key(*entry)));
        }
      } else if (field.is_repeated()) {
        for (int j = 0; j < reflection.FieldSize(message, &field); ++j) {
          expand(*reflection.MutableRepeatedMessage(&message, &field, j), child_path(at, static_cast<std::size_t>(j)));
        }
      } else {
        expand(*reflection.MutableMessage(&message, &field), at);
      }
    }
  }

  const PresetSource& presets_;
  Findings& findings_;
};

}  // namespace

void expand_presets(pb::Message& message, const std::string& path, const PresetSource& presets, Findings& findings) {
  Expansion(presets, findings).expand(message, path);
}

}  // namespace rackwright::scenarios
