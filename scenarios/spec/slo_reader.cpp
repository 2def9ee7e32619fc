#include "scenarios/spec/slo_reader.h"

#include <google/protobuf/descriptor.h>

#include <charconv>
#include <map>

#include "models/base/invariant.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::scenarios {
namespace {

results::LatencyMetric metric_of(std::string_view name) {
  if (name == "ttft") return results::LatencyMetric::ttft;
  if (name == "tpot") return results::LatencyMetric::tpot;
  if (name == "itl") return results::LatencyMetric::longest_gap;
  if (name == "first_audio") return results::LatencyMetric::first_audio;
  if (name == "first_visible") return results::LatencyMetric::first_visible;
  invariant(name == "e2e", "an objective limits ttft, tpot, itl, first_audio, first_visible or e2e");
  return results::LatencyMetric::e2e;
}

/// "ttft_p99" names the metric and the percentile.
results::SloTarget target_of(const std::string& field, double limit_s) {
  const auto separator = field.find("_p");
  invariant(separator != std::string::npos, "an objective is named METRIC_pNN");
  int percentile = 0;
  std::from_chars(field.data() + separator + 2, field.data() + field.size(), percentile);
  return {metric_of(std::string_view(field).substr(0, separator)), percentile / 100.0, sim_time(limit_s)};
}

}  // namespace

std::vector<results::SloTarget> slo_targets(const v1::Slo& slo) {
  std::vector<results::SloTarget> targets;
  const pb::Descriptor& type = *slo.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    if (is_given(slo, field)) targets.push_back(target_of(std::string(field.name()), std::get<double>(get_scalar(slo, field))));
  }
  return targets;
}

std::vector<results::RequestClass> request_classes(const v1::Scenario& scenario) {
  std::vector<results::RequestClass> classes{{"", slo_targets(scenario.slo())}};
  const v1::Workload& workload = scenario.workload();
  for (const pb::Message* entry : map_entries(workload, *workload.GetDescriptor()->FindFieldByNumber(v1::Workload::kClassesFieldNumber))) {
    const std::string name = map_key(*entry);
    const v1::RequestClass& written = workload.classes().at(name);
    classes.push_back({name, written.has_slo() ? slo_targets(written.slo()) : classes.front().targets});
  }
  // Those that a generator mixes in have a name of their own in the results.
  const std::map<std::string, v1::GeneratedClass> generated(workload.generator().classes().begin(), workload.generator().classes().end());
  for (const auto& [name, written] : generated)
    if (!workload.classes().contains(name)) classes.push_back({name, classes.front().targets});
  return classes;
}

}  // namespace rackwright::scenarios
