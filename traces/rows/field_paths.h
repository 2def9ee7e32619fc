#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/rows/column_mapping.h"

namespace rackwright::traces {

/// The names of a column mapping as a tree, so that a row's keys are walked once, whatever their order.
/// "a.b.c" may be the key "a.b.c", the key "b.c" inside "a", and so on.
struct FieldPaths {
  struct Target {
    Field field;
    std::uint8_t column;  ///< Index among the field's columns.
  };

  std::vector<Target> targets;  ///< The fields whose path ends here.
  std::map<std::string, std::unique_ptr<FieldPaths>, std::less<>> children;

  FieldPaths() = default;
  explicit FieldPaths(const ColumnMapping& mapping);
  /// What lies under a key, or null.
  const FieldPaths* under(std::string_view key) const;

 private:
  void insert(std::string_view path, Target target);
};

}  // namespace rackwright::traces
