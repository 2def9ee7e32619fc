#pragma once

#include <optional>
#include <vector>

#include "scenarios/spec/pool_spec.h"
#include "scenarios/spec/station_spec.h"

namespace rackwright::v1 {
class Scenario;
class Workload;
}

namespace rackwright::scenarios {

class Findings;

/// The stations of a scenario. Devices that a pool or another station has already are a finding.
std::vector<StationSpec> station_specs(const v1::Scenario& scenario, const HallSpec& hall, const std::vector<PoolSpec>& pools, Findings& findings);

/// The tools of a workload, each of which fits the station that runs it.
std::vector<ToolSpec> tool_specs(const v1::Workload& workload, const std::vector<StationSpec>& stations, Findings& findings);

/// Speech around the model, where the workload has it.
std::optional<VoiceSpec> voice_spec(const v1::Workload& workload, const std::vector<StationSpec>& stations, Findings& findings);

/// Warns of stations that nothing uses.
void warn_of_idle_stations(const std::vector<StationSpec>& stations, const std::vector<ToolSpec>& tools, const std::optional<VoiceSpec>& voice,
                           Findings& findings);

}  // namespace rackwright::scenarios
