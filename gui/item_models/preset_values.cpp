#include "gui/item_models/preset_values.h"

#include <google/protobuf/message.h>

#include "scenarios/catalog/catalog.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/presets.h"

namespace rackwright::gui {
namespace {

SharedMessage expanded(const scenarios::pb::Message& entry, const scenarios::PresetSource& presets) {
  std::shared_ptr<scenarios::pb::Message> message(entry.New());
  message->CopyFrom(entry);
  Diagnostics unread;  // The check reports unknown presets at their place.
  const scenarios::SourceMap nowhere;
  scenarios::Findings findings(nowhere, unread);
  scenarios::expand_presets(*message, "", presets, findings);
  return message;
}

}  // namespace

SharedMessage PresetValues::find(const v1::Scenario& scenario, const std::string& kind, const std::string& name) {
  if (kind == "model") {
    const auto own = scenario.models().find(name);
    if (own != scenario.models().end()) return expanded(own->second, catalog_);
  }
  SharedMessage& known = expanded_[{kind, name}];
  if (!known) {
    if (const scenarios::pb::Message* entry = catalog_.find(kind, name)) known = expanded(*entry, catalog_);
  }
  return known;
}

}  // namespace rackwright::gui
