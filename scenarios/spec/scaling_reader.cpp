#include "scenarios/spec/scaling_reader.h"

#include <fmt/format.h>

#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {

std::optional<ScalingSpec> scaling_spec(const v1::Pool& written, int replicas, const std::string& path, Findings& findings) {
  if (!written.has_scaling()) return std::nullopt;
  using Field = v1::Autoscaling;
  const v1::Autoscaling& scaling = written.scaling();
  ScalingSpec spec;
  spec.target_outstanding = scaling.target_outstanding();
  spec.min_replicas = static_cast<int>(effective_count(scaling, Field::kMinReplicasFieldNumber));
  spec.period_s = effective_quantity(scaling, Field::kPeriodFieldNumber);
  spec.down_window_s = effective_quantity(scaling, Field::kDownWindowFieldNumber);
  spec.load_bytes_per_s = scaling.load_bandwidth();
  spec.start_time_s = effective_quantity(scaling, Field::kStartTimeFieldNumber);
  spec.off_power_w = effective_quantity(scaling, Field::kOffPowerFieldNumber);
  if (spec.min_replicas > replicas) {
    findings.error(path + ".scaling.min_replicas", fmt::format("{} replicas are always on, but the pool has {}", spec.min_replicas, replicas),
                   "name more devices, or lower min_replicas");
  } else if (spec.min_replicas == replicas) {
    const std::string at = path + ".scaling";
    findings.diagnostics().warning(findings.place(at), "", fmt::format("no effect: {}, because all {} replicas are always on", at, replicas));
    return std::nullopt;
  }
  return spec;
}

}  // namespace rackwright::scenarios
