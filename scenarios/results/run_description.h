#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/time.h"

namespace rackwright::results {

/// What a service-level objective limits. `longest_gap` is the longest wait between two tokens of a request.
/// `first_audio` runs from the end of the user's speech, `first_visible` to the first token that is no hidden reasoning.
enum class LatencyMetric : std::uint8_t { ttft, tpot, e2e, queue, longest_gap, first_audio, first_visible };

inline std::string_view to_string(LatencyMetric metric) {
  switch (metric) {
    case LatencyMetric::ttft: return "ttft";
    case LatencyMetric::tpot: return "tpot";
    case LatencyMetric::e2e: return "e2e";
    case LatencyMetric::queue: return "queue";
    case LatencyMetric::longest_gap: return "longest_gap";
    case LatencyMetric::first_audio: return "first_audio";
    case LatencyMetric::first_visible: return "first_visible";
  }
  return "unknown";
}

/// "ttft_p99: 500 ms" is {ttft, 0.99, 500 ms}. A request meets it when its own value is within the limit;
/// the class meets it when the quantile is.
struct SloTarget {
  LatencyMetric metric = LatencyMetric::ttft;
  double quantile = 0.99;  ///< In (0, 1].
  SimTime limit;
};

/// Requests that are judged by the same objectives. Class 0 is the unnamed one.
struct RequestClass {
  std::string name;
  std::vector<SloTarget> targets;
};

struct PoolDescription {
  std::string name;
  std::string role;    ///< "colocated", "prefill", "decode" …
  std::string model;   ///< As people call it.
  std::string device;  ///< Of one kind.
  std::string sharding;  ///< Such as "TP4"; may be empty.
  std::uint32_t instances = 0;
  std::uint32_t devices_per_instance = 1;
  std::int32_t kv_block_tokens = 0;
  bool prefix_cache = false;
  std::optional<double> quality = std::nullopt;  ///< Share of requests that it answers well enough.
};

/// Devices that do jobs beside model steps.
struct StationDescription {
  std::string name;
  std::string device;
  std::uint32_t devices = 0;
  std::uint32_t workers = 0;  ///< Of one device.
};

struct RackDescription {
  std::string name;
  std::string preset;
  std::optional<double> power_budget_w;
  std::optional<double> height_u;  ///< Rack units that the equipment takes.
};

/// A file that the run read, and the hash of what it held.
struct InputFile {
  std::string kind;  ///< "scenario", "trace", "model", "profile" …
  std::string path;  ///< As the scenario names it.
  std::uint64_t hash = 0;
};

/// What a run is about, known before it starts: the head of run.pb and the first page of a report.
/// Nothing in it depends on the host, its clock or its folders.
struct RunDescription {
  std::string version;   ///< Of Rackwright.
  std::string scenario;  ///< Its name.
  std::string question;  ///< What the run is to answer; may be empty.
  std::uint64_t seed = 0;
  std::vector<PoolDescription> pools;
  std::vector<StationDescription> stations;
  std::vector<RackDescription> racks;
  std::vector<RequestClass> classes;
  std::vector<InputFile> inputs;
  std::vector<std::string> trace_report;  ///< What the reader kept, repaired and dropped, a sentence a line.
  std::vector<std::string> unverified_figures;  ///< Catalog figures from memory that the run stands on, a line each.
  std::string resolved_scenario;          ///< YAML, with every default and preset written out.
};

}  // namespace rackwright::results
