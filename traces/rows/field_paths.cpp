#include "traces/rows/field_paths.h"

namespace rackwright::traces {

FieldPaths::FieldPaths(const ColumnMapping& mapping) {
  for (std::size_t field = 0; field < field_count; ++field) {
    const std::vector<Column>& columns = mapping.columns[field];
    for (std::size_t column = 0; column < columns.size(); ++column) {
      insert(columns[column].name, {static_cast<Field>(field), static_cast<std::uint8_t>(column)});
    }
  }
}

void FieldPaths::insert(std::string_view path, Target target) {
  const auto child = [this](std::string_view key) -> FieldPaths& {
    auto& place = children[std::string(key)];
    if (!place) place = std::make_unique<FieldPaths>();
    return *place;
  };
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    if (dot + 1 < path.size()) child(path.substr(0, dot)).insert(path.substr(dot + 1), target);
  }
  child(path).targets.push_back(target);
}

const FieldPaths* FieldPaths::under(std::string_view key) const {
  const auto found = children.find(key);
  return found == children.end() ? nullptr : found->second.get();
}

}  // namespace rackwright::traces
