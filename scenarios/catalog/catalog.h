#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/cost/operator_profile.h"
#include "scenarios/codec/catalog_entry.h"
#include "scenarios/spec/presets.h"

namespace rackwright::scenarios {

/// The built-in devices, hosts, cards, switches, nodes, racks, models and workloads: data files that are part of
/// the program. An entry is read when it is first asked for.
class Catalog final : public PresetSource {
 public:
  Catalog();
  ~Catalog() override;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const pb::Message* find(std::string_view kind, std::string_view name) const override;
  std::vector<std::string> names(std::string_view kind) const override;

  /// "device", "host", …, in the order in which people look for them.
  static const std::vector<std::string>& kinds();
  /// Which source stands behind which figure of an entry that exists.
  const FigureMarks& marks(std::string_view kind, std::string_view name) const;
  const FigureSources& sources() const;
  /// The measured operators of a device by the name of their profile; null when there is none of this name.
  std::shared_ptr<const cost::OperatorProfile> profile(const std::string& name) const;
  std::vector<std::string> profile_names() const;
  /// An entry's text as its file has it, comments included.
  std::string_view text(std::string_view kind, std::string_view name) const;

 private:
  struct Entry {
    std::unique_ptr<pb::Message> message;
    FigureMarks marks;
  };

  const Entry* entry(std::string_view kind, std::string_view name) const;

  std::map<std::string, std::string_view, std::less<>> files_;  ///< By "devices/h200-sxm.yaml".
  mutable std::map<std::string, Entry, std::less<>> entries_;   ///< By the same, as far as they were read.
  mutable FigureSources sources_;
  mutable std::map<std::string, std::shared_ptr<const cost::OperatorProfile>> profiles_;
};

}  // namespace rackwright::scenarios
