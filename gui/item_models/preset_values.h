#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::v1 {
class Scenario;
}
namespace rackwright::scenarios {
class Catalog;
}

namespace rackwright::gui {

using SharedMessage = std::shared_ptr<const scenarios::pb::Message>;

/// What a preset gives when nothing is laid over it, with its own presets expanded.
class PresetValues {
 public:
  explicit PresetValues(const scenarios::Catalog& catalog) : catalog_(catalog) {}

  /// Null when there is no such entry. The scenario's own models come before those of the catalog.
  SharedMessage find(const v1::Scenario& scenario, const std::string& kind, const std::string& name);

 private:
  const scenarios::Catalog& catalog_;
  std::map<std::pair<std::string, std::string>, SharedMessage> expanded_;  ///< Of the catalog, by kind and name.
};

}  // namespace rackwright::gui
