#include "gui/document/message_at.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;

const pb::Message* itemOf(const pb::Message& holder, const pb::FieldDescriptor& list, const scenarios::PathStep& step) {
  const pb::Reflection& values = *holder.GetReflection();
  if (list.is_map()) {
    for (const pb::Message* entry : scenarios::map_entries(holder, list)) {
      if (scenarios::map_key(*entry) == step.key) return &entry->GetReflection()->GetMessage(*entry, entry->GetDescriptor()->map_value());
    }
    return nullptr;
  }
  const int size = values.FieldSize(holder, &list);
  if (step.index) return *step.index < static_cast<std::size_t>(size) ? &values.GetRepeatedMessage(holder, &list, static_cast<int>(*step.index)) : nullptr;
  const pb::FieldDescriptor* key = scenarios::key_field(*list.message_type());
  for (int i = 0; key && i < size; ++i) {
    const pb::Message& item = values.GetRepeatedMessage(holder, &list, i);
    if (item.GetReflection()->GetString(item, key) == step.key) return &item;
  }
  return nullptr;
}

}  // namespace

const pb::Message* messageAt(const pb::Message& root, const scenarios::Path& path) {
  const pb::Message* at = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const pb::FieldDescriptor* field = at->GetDescriptor()->FindFieldByName(path[i].key);
    if (!field || !scenarios::holds_messages(*field)) return nullptr;
    if (field->is_repeated()) {
      if (++i == path.size()) return nullptr;
      at = itemOf(*at, *field, path[i]);
      if (!at) return nullptr;
    } else {
      if (!at->GetReflection()->HasField(*at, field)) return nullptr;
      at = &at->GetReflection()->GetMessage(*at, field);
    }
  }
  return at;
}

}  // namespace rackwright::gui
