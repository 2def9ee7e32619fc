#pragma once

#include <QString>
#include <string>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::gui {

enum class PropertyKind {
  scalar,      ///< One value.
  scalarList,  ///< Edited as one text, "[1, 2, 4]".
  group,       ///< Values stand below it.
  collection,  ///< A list or map; its items stand below it.
  item,        ///< An item of a list or entry of a map that holds groups: a way to go there.
  entry,       ///< A map entry with a scalar value: key and value can be changed.
};

/// Where the value that holds comes from.
enum class PropertyOrigin { none, file, preset, standard, derived };

/// One row of the property editor.
struct PropertyItem {
  std::string path;
  QString name;
  PropertyKind kind = PropertyKind::scalar;
  const scenarios::pb::FieldDescriptor* field = nullptr;
  bool given = false;
  QString value;     ///< As the file has it; a summary for groups.
  QString fallback;  ///< What holds otherwise: of the preset, the default, derived.
  PropertyOrigin origin = PropertyOrigin::none;
  bool overrides = false;  ///< Given, and a preset has a value below it.
  QString preset;          ///< Its name, where one is below.
  QString noEffect;        ///< Why the value has no effect.

  bool operator==(const PropertyItem&) const = default;
};

}  // namespace rackwright::gui
