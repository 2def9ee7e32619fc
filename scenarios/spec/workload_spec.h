#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/base/time.h"
#include "scenarios/spec/station_spec.h"
#include "traces/generators/generator.h"
#include "traces/readers/open_trace.h"

namespace rackwright::scenarios {

/// A recorded log to replay, and what is done to it on the way.
struct TraceSpec {
  std::string file;  ///< As the scenario names it.
  std::string path;  ///< Where it was found.
  traces::TraceOptions options;
  double scale_time = 1;
  SimTime start;
  std::optional<SimTime> duration;
  std::optional<std::int64_t> max_requests;
  std::optional<std::int32_t> clip_input_tokens;
  std::optional<std::int32_t> clip_total_tokens;
  std::optional<SimTime> dequantize;
};

/// One of `trace` and `generator`.
struct WorkloadSpec {
  std::optional<TraceSpec> trace;
  std::optional<traces::GeneratorSpec> generator;
  std::vector<ToolSpec> tools;
  std::optional<VoiceSpec> voice;
  int samples = 1;                   ///< Completions of each request,
  bool first_sample_answers = false; ///< of which the first, or all, make the answer.
  std::map<std::string, std::string> models;  ///< From the log's names to the deployments'.
};

}  // namespace rackwright::scenarios
