#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

class Findings;

/// Where presets come from: the catalog, or the scenario's own definitions before it.
class PresetSource {
 public:
  virtual ~PresetSource() = default;
  /// The entry of this kind ("device", "rack", …) and name, its own presets not expanded; null when there is none.
  virtual const pb::Message* find(std::string_view kind, std::string_view name) const = 0;
  virtual std::vector<std::string> names(std::string_view kind) const = 0;
};

/// Replaces every `preset` inside the message, at any depth, by the entry it names with the fields beside it
/// laid over. An unknown name is a finding at its path. The preset's name stays, for display.
void expand_presets(pb::Message& message, const std::string& path, const PresetSource& presets, Findings& findings);

}  // namespace rackwright::scenarios
