#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/spec/hall_spec.h"
#include "traces/generators/quantile_table.h"

namespace rackwright::scenarios {

/// Devices that do jobs beside model steps.
struct StationSpec {
  std::string name;
  DeviceRange devices;
  int workers = 1;          ///< Of one device.
  std::optional<double> memory_bytes;  ///< Of one device, for jobs; absent where nobody knows it.
  double speed = 1;
};

/// A tool that agents call.
struct ToolSpec {
  std::string name;  ///< "*" for every tool that has no entry.
  int station = 0;
  int workers = 1;
  double memory_bytes = 0;
  traces::QuantileTable time_s;  ///< Empty where only a log tells it.
};

/// Speech around the model.
struct VoiceSpec {
  struct Stage {
    int station = 0;
    traces::QuantileTable latency_s;
    double real_time_factor = 0;
  };
  double network_delay_s = 0;
  std::optional<Stage> recognition;
  traces::QuantileTable speech_s;  ///< Of users whose requests do not tell it; may be empty.
  Stage synthesis;
  int sentence_tokens = 1;
  double token_audio_s = 0;
};

}  // namespace rackwright::scenarios
