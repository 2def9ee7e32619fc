#include "sim/run/stations.h"

#include <algorithm>
#include <cmath>

namespace rackwright::run {
namespace {

std::int64_t milliwatts(double watts) { return std::llround(watts * 1000); }

/// Power is taken as linear between an idle device and one with every worker busy (Fan et al., ISCA 2007, section 3.2),
/// which draws its limit.
serving::StationSpec serving_station(const scenarios::StationSpec& written, const hardware::DeviceSpec& device) {
  serving::StationSpec station;
  station.name = written.name;
  station.devices = written.devices.size();
  station.workers = written.workers;
  station.memory_bytes = written.memory_bytes.value_or(0);
  station.speed = written.speed;
  station.idle_power_mw = milliwatts(device.idle_power_w.value_or(0));
  station.busy_power_mw = std::max(station.idle_power_mw, milliwatts(device.limit_power_w.value_or(0)));
  return station;
}

serving::VoiceSpec serving_voice(const scenarios::VoiceSpec& written, std::uint64_t seed) {
  const auto stage = [](const scenarios::VoiceSpec::Stage& from) { return serving::VoiceSpec::Stage{from.station, from.latency_s, from.real_time_factor}; };
  serving::VoiceSpec voice;
  voice.network_delay = sim_time(written.network_delay_s);
  if (written.recognition) voice.recognition = stage(*written.recognition);
  voice.speech_s = written.speech_s;
  voice.synthesis = stage(written.synthesis);
  voice.sentence_tokens = written.sentence_tokens;
  voice.token_audio = sim_time(written.token_audio_s);
  voice.seed = seed;
  return voice;
}

}  // namespace

void add_stations(const scenarios::ScenarioSpec& scenario, results::RunDescription& description, serving::ServingSpec& serving) {
  for (const scenarios::StationSpec& station : scenario.stations) {
    const hardware::DeviceSpec& device = scenario.hall.groups[static_cast<std::size_t>(station.devices.group)].device;
    serving.stations.push_back(serving_station(station, device));
    description.stations.push_back({station.name, device.name, static_cast<std::uint32_t>(station.devices.size()), static_cast<std::uint32_t>(station.workers)});
  }
  for (const scenarios::ToolSpec& tool : scenario.workload.tools)
    serving.tools.push_back({tool.name, tool.station, tool.workers, tool.memory_bytes});
  if (scenario.workload.voice) serving.voice = serving_voice(*scenario.workload.voice, scenario.seed);
  serving.sample_rule = scenario.workload.first_sample_answers ? serving::SampleRule::first : serving::SampleRule::all;
}

}  // namespace rackwright::run
