#pragma once

#include <QString>
#include <optional>
#include <string>

#include "gui/document/scenario_snapshot.h"

namespace rackwright::gui {

/// A list item or map entry to add.
struct NewItem {
  std::string path;                  ///< Where it will stand.
  std::optional<std::size_t> index;  ///< Of a list item.
  std::string key;                   ///< Its name, or its key in a map; may be empty.
  std::string text;                  ///< In flow style.
  QString title;                     ///< For people: "pool chat-2".
};

/// The smallest item that the list or map at `path` takes: what is required is filled in from the scenario where
/// it refers to something there, else from the schema's examples, under a name that is still free.
/// Nothing where there is no list or map.
std::optional<NewItem> newItem(const ScenarioSnapshot& scenario, const std::string& path);

/// The copy of a list item that stands behind it, under a free name. Nothing where the path leads to no item.
std::optional<NewItem> duplicateOf(const ScenarioSnapshot& scenario, const std::string& path);

}  // namespace rackwright::gui
