#pragma once

#include <string>
#include <vector>

#include "gui/document/scenario_snapshot.h"
#include "gui/item_models/property_item.h"
#include "gui/item_models/tree_model.h"

namespace rackwright::gui {

class PresetValues;

/// The rows for one place of a scenario, made from the schema's description of it: every parameter of a group,
/// given or not, or the items of a list. `resolved` may be null; it tells derived values.
std::vector<TreeBranch<PropertyItem>> propertyRows(const ScenarioSnapshot& scenario, const v1::Scenario* resolved, PresetValues& presets,
                                                   const std::string& path);

}  // namespace rackwright::gui
