#include "gui/item_models/reference_names.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>

#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scenario.pb.h"
#include "traces/formats/trace_format.h"
#include "traces/generators/workloads.h"

namespace rackwright::gui {
namespace {

QString text(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

}  // namespace

QString catalogTitle(const scenarios::Catalog& catalog, const std::string& kind, const std::string& name) {
  const scenarios::pb::Message* entry = catalog.find(kind, name);
  const auto* title = entry ? entry->GetDescriptor()->FindFieldByName("title") : nullptr;
  if (!title || !scenarios::is_given(*entry, *title)) return text(name);
  return text(std::get<std::string>(scenarios::get_scalar(*entry, *title)));
}

std::vector<ReferenceName> referenceNames(const scenarios::pb::FieldDescriptor& field, const v1::Scenario& scenario,
                                          const scenarios::Catalog& catalog) {
  const std::string& refersTo = scenarios::parameter_of(field).refers_to();
  const bool describesOne = scenarios::group_of(*field.containing_type()).catalog() == refersTo;
  std::vector<ReferenceName> names;
  if (refersTo == "rack" && !describesOne) {
    for (const v1::RackPlacement& rack : scenario.facility().racks()) {
      if (rack.has_name()) names.push_back({text(rack.name()), text(rack.rack().preset())});
    }
  }
  if (refersTo == "model") {
    for (const auto& [name, model] : scenario.models()) names.push_back({text(name), QString()});
    std::ranges::sort(names, {}, &ReferenceName::name);
  }
  if (refersTo == "pool") {
    for (const v1::Pool& pool : scenario.deployment()) names.push_back({text(pool.pool()), text(pool.model().preset())});
  }
  if (refersTo == "station") {
    for (const v1::Station& station : scenario.stations()) names.push_back({text(station.station()), text(station.on())});
  }
  if (refersTo == "tool") {
    for (const auto& [name, tool] : scenario.workload().tools()) names.push_back({text(name), text(tool.station())});
    std::ranges::sort(names, {}, &ReferenceName::name);
  }
  if (refersTo == "workload") {
    for (const traces::GeneratorSpec& workload : traces::workloads()) names.push_back({text(workload.name), text(workload.title)});
  }
  if (refersTo == "trace-format") {
    for (const traces::TraceFormat* format : traces::trace_formats()) names.push_back({text(format->name), text(format->title)});
  }
  if (refersTo == "profile") {
    for (const std::string& name : catalog.profile_names()) names.push_back({text(name), QString()});
  }
  const std::vector<std::string>& kinds = scenarios::Catalog::kinds();
  const bool ofHall = refersTo == "rack" && !describesOne;
  if (!ofHall && std::ranges::find(kinds, refersTo) != kinds.end()) {
    for (const std::string& name : catalog.names(refersTo)) names.push_back({text(name), catalogTitle(catalog, refersTo, name)});
  }
  return names;
}

}  // namespace rackwright::gui
