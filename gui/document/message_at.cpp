#include "gui/document/message_at.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;

std::optional<std::size_t> indexOfItem(const pb::Message& holder, const pb::FieldDescriptor& list, const scenarios::PathStep& step) {
  const pb::Reflection& values = *holder.GetReflection();
  const auto size = static_cast<std::size_t>(values.FieldSize(holder, &list));
  if (step.index) return *step.index < size ? step.index : std::nullopt;
  if (!scenarios::key_field(*list.message_type())) return std::nullopt;
  for (std::size_t i = 0; i < size; ++i) {
    if (nameOfItem(values.GetRepeatedMessage(holder, &list, static_cast<int>(i))) == step.key) return i;
  }
  return std::nullopt;
}

const pb::Message* itemOf(const pb::Message& holder, const pb::FieldDescriptor& field, const scenarios::PathStep& step) {
  if (field.is_map()) {
    for (const pb::Message* entry : scenarios::map_entries(holder, field)) {
      if (scenarios::map_key(*entry) == step.key) return &entry->GetReflection()->GetMessage(*entry, entry->GetDescriptor()->map_value());
    }
    return nullptr;
  }
  const auto index = indexOfItem(holder, field, step);
  return index ? &holder.GetReflection()->GetRepeatedMessage(holder, &field, static_cast<int>(*index)) : nullptr;
}

/// Calls `visit(holder, list, step)` for every step of the path that means an item of a list of messages.
template <class Visit>
void visitItems(const pb::Message& root, scenarios::Path& path, Visit visit) {
  const pb::Message* at = &root;
  for (std::size_t i = 0; at && i < path.size(); ++i) {
    const pb::FieldDescriptor* field = at->GetDescriptor()->FindFieldByName(path[i].key);
    if (!field || !scenarios::holds_messages(*field)) return;
    if (!field->is_repeated()) {
      at = at->GetReflection()->HasField(*at, field) ? &at->GetReflection()->GetMessage(*at, field) : nullptr;
      continue;
    }
    if (++i == path.size()) return;
    const pb::Message* item = itemOf(*at, *field, path[i]);
    if (item && !field->is_map()) visit(*at, *field, *item, path[i]);
    at = item;
  }
}

}  // namespace

const pb::Message* messageAt(const pb::Message& root, const scenarios::Path& path) {
  const pb::Message* at = &root;
  for (std::size_t i = 0; at && i < path.size(); ++i) {
    const pb::FieldDescriptor* field = at->GetDescriptor()->FindFieldByName(path[i].key);
    if (!field || !scenarios::holds_messages(*field)) return nullptr;
    if (field->is_repeated()) {
      if (++i == path.size()) return nullptr;
      at = itemOf(*at, *field, path[i]);
    } else {
      at = at->GetReflection()->HasField(*at, field) ? &at->GetReflection()->GetMessage(*at, field) : nullptr;
    }
  }
  return at;
}

std::string nameOfItem(const pb::Message& item) {
  const pb::FieldDescriptor* key = scenarios::key_field(*item.GetDescriptor());
  return key ? item.GetReflection()->GetString(item, key) : std::string();
}

scenarios::Path namedPath(const pb::Message& root, scenarios::Path path) {
  visitItems(root, path, [](const pb::Message&, const pb::FieldDescriptor&, const pb::Message& item, scenarios::PathStep& step) {
    if (const std::string name = nameOfItem(item); !name.empty()) step = {name, std::nullopt};
  });
  return path;
}

scenarios::Path indexedPath(const pb::Message& root, scenarios::Path path) {
  visitItems(root, path, [](const pb::Message& holder, const pb::FieldDescriptor& list, const pb::Message&, scenarios::PathStep& step) {
    step = {{}, indexOfItem(holder, list, step)};
  });
  return path;
}

}  // namespace rackwright::gui
