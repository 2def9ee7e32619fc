#include "scenarios/catalog/catalog.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>

#include "embedded/hardware_catalog.h"
#include "embedded/kernel_profiles.h"
#include "embedded/model_presets.h"
#include "models/base/invariant.h"
#include "models/cost/profile_reader.h"
#include "scenarios/schema/hardware.pb.h"
#include "scenarios/schema/model.pb.h"
#include "scenarios/schema/workload.pb.h"

namespace rackwright::scenarios {
namespace {

/// What the catalog holds: each kind with its folder and the message of an entry.
struct Kind {
  std::string_view name;
  std::string_view folder;
  const pb::Message& (*prototype)();
};

template <class Message>
const pb::Message& prototype() {
  return Message::default_instance();
}

constexpr std::array<Kind, 7> known_kinds{{
    {"device", "devices", prototype<v1::Device>},
    {"model", "models", prototype<v1::Model>},
    {"rack", "racks", prototype<v1::Rack>},
    {"node", "nodes", prototype<v1::Node>},
    {"host", "hosts", prototype<v1::Host>},
    {"nic", "nics", prototype<v1::Nic>},
    {"switch", "switches", prototype<v1::Switch>},
}};

const Kind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(known_kinds, name, &Kind::name);
  return found == known_kinds.end() ? nullptr : &*found;
}

constexpr std::string_view ending = ".yaml";
constexpr std::string_view sources_file = "sources.yaml";

std::string file_of(const Kind& kind, std::string_view name) { return fmt::format("{}/{}{}", kind.folder, name, ending); }

/// The data files are ours: what is wrong with one is a bug.
void require_clean(const Diagnostics& findings, std::string_view file) {
  if (!findings.all().empty()) {
    throw InvariantViolation(fmt::format("catalog file {}: {}", file, to_string(findings.all().front())));
  }
}

}  // namespace

Catalog::Catalog() {
  for (const EmbeddedFile& file : embedded::hardware_catalog()) files_.emplace(file.path, file.text);
  for (const EmbeddedFile& file : embedded::model_presets()) files_.emplace(fmt::format("models/{}", file.path), file.text);
}

Catalog::~Catalog() = default;

const std::vector<std::string>& Catalog::kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Kind& kind : known_kinds) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

const FigureSources& Catalog::sources() const {
  if (sources_.empty()) {
    Diagnostics findings;
    sources_ = read_figure_sources(std::string(sources_file), std::string(files_.at(std::string(sources_file))), findings);
    require_clean(findings, sources_file);
  }
  return sources_;
}

const Catalog::Entry* Catalog::entry(std::string_view kind_name, std::string_view name) const {
  const Kind* kind = find_kind(kind_name);
  if (!kind) return nullptr;
  const std::string file = file_of(*kind, name);
  if (const auto known = entries_.find(file); known != entries_.end()) return &known->second;
  const auto text = files_.find(file);
  if (text == files_.end()) return nullptr;

  Entry entry;
  entry.message.reset(kind->prototype().New());
  Diagnostics findings;
  entry.marks = read_catalog_entry(file, std::string(text->second), sources(), *entry.message, findings);
  require_clean(findings, file);
  return &entries_.emplace(file, std::move(entry)).first->second;
}

const pb::Message* Catalog::find(std::string_view kind, std::string_view name) const {
  const Entry* found = entry(kind, name);
  return found ? found->message.get() : nullptr;
}

std::vector<std::string> Catalog::names(std::string_view kind_name) const {
  std::vector<std::string> names;
  const Kind* kind = find_kind(kind_name);
  if (!kind) return names;
  for (const auto& [file, text] : files_) {
    if (!file.starts_with(kind->folder) || file[kind->folder.size()] != '/') continue;
    names.push_back(file.substr(kind->folder.size() + 1, file.size() - kind->folder.size() - 1 - ending.size()));
  }
  return names;
}

std::vector<std::string> Catalog::profile_names() const {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::kernel_profiles()) {
    std::string name(file.path.substr(0, file.path.find('/')));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

std::shared_ptr<const cost::OperatorProfile> Catalog::profile(const std::string& name) const {
  if (const auto known = profiles_.find(name); known != profiles_.end()) return known->second;
  cost::ProfileFiles files;
  for (const EmbeddedFile& file : embedded::kernel_profiles()) {
    const auto slash = file.path.find('/');
    if (file.path.substr(0, slash) == name) files.emplace(file.path.substr(slash + 1), file.text);
  }
  if (files.empty()) return nullptr;
  Diagnostics findings;
  auto profile = std::make_shared<const cost::OperatorProfile>(cost::read_profile(name, files, findings));
  require_clean(findings, name);
  return profiles_.emplace(name, std::move(profile)).first->second;
}

const FigureMarks& Catalog::marks(std::string_view kind, std::string_view name) const {
  const Entry* found = entry(kind, name);
  invariant(found != nullptr, "marks are asked of entries that exist");
  return found->marks;
}

std::string_view Catalog::text(std::string_view kind_name, std::string_view name) const {
  const Kind* kind = find_kind(kind_name);
  invariant(kind != nullptr, "the catalog has this kind");
  return files_.at(file_of(*kind, name));
}

}  // namespace rackwright::scenarios
