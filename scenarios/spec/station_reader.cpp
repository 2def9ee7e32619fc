#include "scenarios/spec/station_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/placement.h"
#include "scenarios/spec/quantile_reader.h"

namespace rackwright::scenarios {
namespace {

bool overlap(const DeviceRange& a, const DeviceRange& b) { return a.group == b.group && a.first <= b.last && b.first <= a.last; }

void check_free(const StationSpec& station, const std::string& path, const std::vector<StationSpec>& before, const std::vector<PoolSpec>& pools,
                Findings& findings) {
  const auto taken = [&](const char* kind, const std::string& name) {
    findings.error(path + ".on", fmt::format("devices of it are taken by {} '{}' already", kind, name), "give each one devices of its own");
  };
  for (const PoolSpec& pool : pools)
    if (pool.instances > 0 && overlap(pool.devices, station.devices)) taken("pool", pool.name);
  for (const StationSpec& other : before)
    if (overlap(other.devices, station.devices)) taken("station", other.name);
}

std::optional<StationSpec> station_spec(const v1::Station& written, const std::string& path, const HallSpec& hall, Findings& findings) {
  StationSpec station;
  station.name = written.station();
  if (station.name.empty()) findings.error(path + ".station", "a station needs a name");
  const auto placement = parse_placement(written.on(), hall);
  if (const auto* problem = std::get_if<PlacementProblem>(&placement)) {
    findings.error(path + ".on", problem->message, problem->hint);
    return std::nullopt;
  }
  station.devices = std::get<DeviceRange>(placement);
  const hardware::DeviceSpec& device = hall.groups[static_cast<std::size_t>(station.devices.group)].device;
  const bool is_cpu = device.device_class == hardware::DeviceClass::cpu;
  if (written.has_workers()) station.workers = written.workers();
  else if (is_cpu && device.compute_units) station.workers = *device.compute_units;
  else if (is_cpu) findings.error(path + ".workers", fmt::format("the catalog does not know how many cores {} has", device.name), "give 'workers'");
  station.memory_bytes = written.has_memory() ? std::optional(written.memory()) : device.memory_bytes;
  if (written.has_memory() && device.memory_bytes && written.memory() > *device.memory_bytes) {
    findings.error(path + ".memory", fmt::format("{} has {:.4g} GB", device.name, *device.memory_bytes / 1e9), "give no more than it has");
  }
  station.speed = effective_quantity(written, v1::Station::kSpeedFieldNumber);
  return station;
}

/// The index of the station of that name, with a finding when there is none.
int find_station(const std::string& name, const std::string& path, const std::vector<StationSpec>& stations, Findings& findings) {
  const auto found = std::ranges::find(stations, name, &StationSpec::name);
  if (found != stations.end()) return static_cast<int>(found - stations.begin());
  std::vector<std::string> names;
  for (const StationSpec& station : stations) names.push_back(station.name);
  findings.error(path, fmt::format("no station is called '{}'", name), names.empty() ? "give 'stations'" : name_hint(name, names));
  return 0;
}

}  // namespace

std::vector<StationSpec> station_specs(const v1::Scenario& scenario, const HallSpec& hall, const std::vector<PoolSpec>& pools, Findings& findings) {
  std::vector<StationSpec> stations;
  for (int i = 0; i < scenario.stations_size(); ++i) {
    const std::string path = fmt::format("stations[{}]", i);
    std::optional<StationSpec> station = station_spec(scenario.stations(i), path, hall, findings);
    if (!station) continue;
    check_free(*station, path, stations, pools, findings);
    stations.push_back(std::move(*station));
  }
  return stations;
}

std::vector<ToolSpec> tool_specs(const v1::Workload& workload, const std::vector<StationSpec>& stations, Findings& findings) {
  std::vector<ToolSpec> tools;
  const std::map<std::string, v1::Tool> by_name(workload.tools().begin(), workload.tools().end());
  for (const auto& [name, written] : by_name) {
    const std::string path = fmt::format("workload.tools.\"{}\"", name);
    ToolSpec tool;
    tool.name = name;
    tool.station = find_station(written.station(), path + ".station", stations, findings);
    tool.workers = static_cast<int>(effective_count(written, v1::Tool::kCoresFieldNumber));
    tool.memory_bytes = effective_quantity(written, v1::Tool::kMemoryFieldNumber);
    tool.time_s = duration_table(written.time(), path + ".time", findings);
    if (!stations.empty()) {
      const StationSpec& station = stations[static_cast<std::size_t>(tool.station)];
      if (tool.workers > station.workers) {
        findings.error(path + ".cores", fmt::format("a device of '{}' has {} workers", station.name, station.workers), "a call runs on one device");
      }
      if (tool.memory_bytes > 0 && !station.memory_bytes) {
        findings.error(path + ".memory", fmt::format("the memory of the devices of '{}' is not known", station.name), "give the station's 'memory'");
      } else if (tool.memory_bytes > station.memory_bytes.value_or(0)) {
        findings.error(path + ".memory", fmt::format("a device of '{}' has {:.4g} GB for jobs", station.name, *station.memory_bytes / 1e9),
                       "a call runs on one device");
      }
    }
    tools.push_back(std::move(tool));
  }
  return tools;
}

std::optional<VoiceSpec> voice_spec(const v1::Workload& workload, const std::vector<StationSpec>& stations, Findings& findings) {
  if (!workload.has_voice()) return std::nullopt;
  const v1::Voice& written = workload.voice();
  VoiceSpec voice;
  voice.network_delay_s = effective_quantity(written, v1::Voice::kNetworkDelayFieldNumber);
  if (written.has_speech_to_text()) {
    const v1::SpeechToText& stage = written.speech_to_text();
    const std::string path = "workload.voice.speech_to_text";
    VoiceSpec::Stage& recognition = voice.recognition.emplace();
    recognition.station = find_station(stage.station(), path + ".station", stations, findings);
    recognition.latency_s = duration_table(stage.latency(), path + ".latency", findings);
    recognition.real_time_factor = effective_quantity(stage, v1::SpeechToText::kRealTimeFactorFieldNumber);
    if (recognition.latency_s.empty()) findings.error(path + ".latency", "a latency is needed", "such as '250 ms'");
    voice.speech_s = duration_table(stage.speech(), path + ".speech", findings);
    if (recognition.real_time_factor > 0 && voice.speech_s.empty() && !workload.has_trace()) {
      findings.error(path + ".speech", "a generator does not say how long users speak", "give 'speech', such as '4 s'");
    }
  }
  const v1::TextToSpeech& stage = written.text_to_speech();
  const std::string path = "workload.voice.text_to_speech";
  voice.synthesis.station = find_station(stage.station(), path + ".station", stations, findings);
  voice.synthesis.latency_s = duration_table(stage.latency(), path + ".latency", findings);
  voice.synthesis.real_time_factor = effective_quantity(stage, v1::TextToSpeech::kRealTimeFactorFieldNumber);
  if (voice.synthesis.latency_s.empty()) findings.error(path + ".latency", "a latency is needed", "such as '150 ms'");
  voice.sentence_tokens = static_cast<int>(effective_count(stage, v1::TextToSpeech::kSentenceTokensFieldNumber));
  voice.token_audio_s = effective_quantity(stage, v1::TextToSpeech::kTokenAudioFieldNumber);
  return voice;
}

void warn_of_idle_stations(const std::vector<StationSpec>& stations, const std::vector<ToolSpec>& tools, const std::optional<VoiceSpec>& voice,
                           Findings& findings) {
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const int at = static_cast<int>(i);
    const bool runs_tools = std::ranges::find(tools, at, &ToolSpec::station) != tools.end();
    const bool speaks = voice && (voice->synthesis.station == at || (voice->recognition && voice->recognition->station == at));
    if (runs_tools || speaks) continue;
    const std::string path = fmt::format("stations[{}]", i);
    findings.warning(path, fmt::format("no effect: {}, because no tool and no speech of the workload uses it", path));
  }
}

}  // namespace rackwright::scenarios
