#include "scenarios/catalog/unverified_figures.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <set>

#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"

namespace rackwright::scenarios {
namespace {

/// The catalog entry that a message names, if it names one.
struct Preset {
  std::string kind;
  std::string name;
};

Preset preset_of(const pb::Message& message) {
  const std::string& kind = group_of(*message.GetDescriptor()).catalog();
  const pb::FieldDescriptor* field = kind.empty() ? nullptr : message.GetDescriptor()->FindFieldByName("preset");
  if (!field || !is_given(message, *field)) return {};
  return {kind, std::get<std::string>(get_scalar(message, *field))};
}

/// Whether a message gives the value at a path, or the list around it.
bool gives(const pb::Message& message, const Path& path) {
  const pb::Message* at = &message;
  for (const PathStep& step : path) {
    const pb::FieldDescriptor* field = at->GetDescriptor()->FindFieldByName(step.key);
    if (!field || !is_given(*at, *field)) return false;
    if (field->is_repeated() || !holds_messages(*field)) return true;
    at = &at->GetReflection()->GetMessage(*at, field);
  }
  return true;
}

class Search {
 public:
  explicit Search(const Catalog& catalog) : catalog_(catalog) {}

  /// Messages that name entries, in a scenario or in an entry, with what the scenario lays over each.
  void visit(const pb::Message& message, const std::vector<const pb::Message*>& overlays) {
    if (const Preset preset = preset_of(message); !preset.name.empty()) collect(preset, message, overlays);
    const pb::Reflection& reflection = *message.GetReflection();
    std::vector<const pb::FieldDescriptor*> given;
    reflection.ListFields(message, &given);
    for (const pb::FieldDescriptor* field : given) {
      if (!holds_messages(*field)) continue;
      if (field->is_repeated()) {
        for (int i = 0; i < reflection.FieldSize(message, field); ++i) visit(reflection.GetRepeatedMessage(message, field, i), {});
      } else {
        visit_single(message, *field, overlays);
      }
    }
  }

  std::vector<std::string> lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  /// The overlays' own messages of this field lie over it; one that names another preset takes its place.
  void visit_single(const pb::Message& message, const pb::FieldDescriptor& field, const std::vector<const pb::Message*>& overlays) {
    std::vector<const pb::Message*> inner;
    for (const pb::Message* overlay : overlays) {
      if (!is_given(*overlay, field)) continue;
      const pb::Message& over = overlay->GetReflection()->GetMessage(*overlay, &field);
      if (!preset_of(over).name.empty()) return;
      inner.push_back(&over);
    }
    visit(message.GetReflection()->GetMessage(message, &field), inner);
  }

  void collect(const Preset& preset, const pb::Message& message, std::vector<const pb::Message*> overlays) {
    const pb::Message* entry = catalog_.find(preset.kind, preset.name);
    if (!entry) return;
    overlays.push_back(&message);
    for (const auto& [path, key] : catalog_.marks(preset.kind, preset.name).sources) {
      if (catalog_.sources().at(key).confidence != "memory") continue;
      std::string ignored;
      const std::optional<Path> steps = parse_path(path, ignored);
      bool overridden = false;
      for (const pb::Message* overlay : overlays) overridden |= steps && gives(*overlay, *steps);
      if (!overridden) lines_.insert(fmt::format("{} {}: {}", preset.kind, preset.name, path));
    }
    visit(*entry, overlays);
  }

  const Catalog& catalog_;
  std::set<std::string> lines_;
};

}  // namespace

std::vector<std::string> unverified_figures(const pb::Message& written, const Catalog& catalog) {
  Search search(catalog);
  search.visit(written, {});
  return search.lines();
}

}  // namespace rackwright::scenarios
