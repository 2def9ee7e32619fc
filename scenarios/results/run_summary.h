#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/results/layer_sides.h"
#include "scenarios/results/run_description.h"

namespace rackwright::results {

/// Shares of a whole, in the order of the names below.
using ProvenanceShares = std::array<double, 5>;
inline constexpr std::array<const char*, 5> provenance_names{"measured", "extrapolated", "calibrated", "datasheet",
                                                             "assumed"};
using BoundShares = std::array<double, 4>;
inline constexpr std::array<const char*, 4> bound_names{"sm_clock", "memory", "link", "host"};

/// Nearest-rank quantiles of durations, in seconds.
struct DurationStatistics {
  std::int64_t count = 0;
  double mean = 0;  ///< Always exact.
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;  ///< Always exact.
  bool exact = true;  ///< Otherwise quantiles are within `sketch_relative_error`.
};

/// How far a quantile of more than a million values may be off, relative to it.
inline constexpr double sketch_relative_error = 0.001;

struct RequestCounts {
  std::int64_t total = 0;
  std::int64_t completed = 0;
  std::int64_t rejected = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t in_flight = 0;
};

/// The part of a run that latencies, rates, utilization, energy and power are taken over.
struct MeasuredWindow {
  double from_s = 0;  ///< Simulated time.
  double to_s = 0;
  std::int64_t requests = 0;  ///< That arrived inside and have left the system.
};

struct Objective {
  std::string request_class;
  SloTarget target;
  std::optional<double> value_s;  ///< Absent when no request of the class completed.
  bool met = false;
};

struct SloSummary {
  double attainment = 0;  ///< Completed requests within every limit of their class, over all that left.
  double goodput_requests_per_s = 0;
  std::vector<Objective> objectives;
};

/// What power limits did to the clocks of a pool.
struct ClockLimit {
  double throttled_s = 0;  ///< Busy time at a lowered clock, summed over instances.
  double mean_clock = 1;   ///< Over busy time, as a fraction of the clock at which costs were taken.
};

/// Steps of a pool that decoded for about as many sequences and computed no prompt.
struct DecodeBatch {
  std::string name;      ///< Sequences of a step: "12", or "12-13".
  double sequences = 0;  ///< Of a step, mean.
  std::int64_t steps = 0;
  std::int64_t tokens = 0;  ///< That they emitted.
  double busy_s = 0;        ///< Summed over instances.
  BoundShares bound{};      ///< What they waited for.
  /// Of one instance.
  double tokens_per_s() const { return busy_s > 0 ? static_cast<double>(tokens) / busy_s : 0; }
};

struct PoolSummary {
  std::string name;
  double utilization = 0;  ///< busy_s over instances × duration.
  double busy_s = 0;       ///< Summed over instances.
  std::int64_t steps = 0;
  double mean_batch = 0;  ///< Sequences a step.
  std::optional<double> tokens_per_decode;  ///< Of a decoding sequence in a step, where speculation gives more than one.
  std::optional<double> kv_peak_fraction;
  std::int64_t preemptions = 0;
  std::optional<double> mean_replicas;  ///< That were on, where a pool is scaled; utilization is then of those.
  std::optional<double> energy_j;  ///< Of the devices of its instances, idle or not; of nothing else in their nodes.
  std::optional<ClockLimit> clock;  ///< Absent when no limit lowered a clock.
  std::vector<DecodeBatch> decode_batches;  ///< In order of sequences.
};

/// What a tier below the devices' memory did over the whole run, summed over the instances of its pool.
struct KvTierUse {
  std::string name;  ///< "POOL.TIER".
  std::int64_t loaded_tokens = 0;   ///< Brought back to the devices: cached prompts and swapped sequences.
  std::int64_t written_tokens = 0;  ///< Taken in, by eviction or swap.
  double loading_s = 0;             ///< Time that its links spent on loads.
};

/// What a station did in the measured time.
struct StationSummary {
  std::string name;
  std::string device;
  std::int64_t workers = 0;   ///< Of all its devices.
  std::int64_t jobs = 0;      ///< Ended.
  double busy_s = 0;          ///< Of workers, summed.
  double utilization = 0;     ///< busy_s over workers × duration.
  std::optional<DurationStatistics> wait_s;  ///< Of jobs, for workers and memory.
  std::optional<DurationStatistics> job_s;   ///< At work.
  double peak_memory_fraction = 0;  ///< Of the fullest device.
  std::optional<double> energy_j;   ///< Of its devices, idle or not.
};

/// Lines of requests that follow each other: tasks of agents, conversations.
struct ChainSummary {
  std::int64_t chains = 0;       ///< That ended in the measured time, for all that is known.
  double calls = 0;              ///< Requests of one, mean.
  DurationStatistics e2e_s;      ///< From the arrival of its first request to the end of its last.
  double model_s = 0;            ///< Means: in the model, its queues included,
  double model_queue_s = 0;      ///< of which until a first step,
  double tool_s = 0;             ///< in tools at work,
  double tool_wait_s = 0;        ///< and in tools that waited for workers.
  double other_s = 0;            ///< Think times, and what no request of it was in.
  /// What its chains wait for most; nothing where waiting is below a hundredth of their time.
  std::string_view binds() const {
    if (tool_wait_s + model_queue_s <= 0.01 * e2e_s.mean) return "nothing";
    return tool_wait_s > model_queue_s ? "stations" : "models";
  }
};

/// The parts of a spoken turn's way to its first audio, means in seconds; they add up to the mean of first_audio_s.
struct VoiceSummary {
  std::int64_t turns = 0;
  DurationStatistics first_audio_s;  ///< From the end of the user's speech.
  double network_s = 0;              ///< Both ways, between the caller and the hall.
  double recognition_s = 0;          ///< Waiting for a worker included.
  double model_s = 0;                ///< From the text to the first sentence.
  double synthesis_s = 0;            ///< From the first sentence to its first audio, waiting for a worker included.
  DurationStatistics longest_gap_s;  ///< Silence inside an answer.
};

struct RackPower {
  std::string name;
  double mean_w = 0;
  double peak_w = 0;
  std::optional<double> budget_w;
  std::optional<double> density_w_per_u;  ///< Peak over the rack units that the equipment takes.
};

/// Electric power and energy of the IT equipment over the measured time.
struct ItPower {
  double energy_j = 0;
  std::optional<double> per_output_token_j;
  std::optional<double> per_request_j;
  double mean_w = 0;
  double peak_w = 0;
  std::vector<RackPower> racks;
};

struct LinkLoad {
  std::string name;
  double bytes = 0;
  double mean_utilization = 0;
};

/// How well requests were answered, for what power and energy: intelligence per watt and per joule (Saad-Falcon et al.
/// 2511.07885) of all IT equipment of the run.
struct AnswerQuality {
  double mean = 0;    ///< Of the qualities of the pools that completed requests in the measured time.
  double per_w = 0;   ///< That over the mean power.
  double per_j = 0;   ///< The sum of qualities over the energy.
};

/// Busy time in communication that nothing hides, summed over instances.
struct ExposedCommunication {
  double exposed_s = 0;
  double share_of_busy = 0;
};

/// By phase; one that the pool did not have is absent. Steps with prompt tokens count as prefill.
struct PoolCommunication {
  std::string name;
  ExposedCommunication all;
  std::optional<ExposedCommunication> prefill, decode;
};

/// What the sides of one disaggregated model could take at full load, at the mean lengths of its requests.
struct RateMatch {
  std::string name;  ///< Of the model.
  double prefill_requests_per_s = 0;
  double decode_requests_per_s = 0;
  double sends_bytes_per_s = 0;     ///< Of all prefill instances,
  double receives_bytes_per_s = 0;  ///< and of all decode instances.
  double kv_bytes_per_request = 0;

  double transfer_requests_per_s() const {
    return kv_bytes_per_request > 0 ? std::min(sends_bytes_per_s, receives_bytes_per_s) / kv_bytes_per_request : 0;
  }
  /// "prefill", "decode" or "transfer": what takes the fewest.
  std::string_view binds() const {
    const double others = std::min(prefill_requests_per_s, decode_requests_per_s);
    if (transfer_requests_per_s() < others) return "transfer";
    return prefill_requests_per_s <= decode_requests_per_s ? "prefill" : "decode";
  }
};

/// KV that moved from where it was computed to where it was decoded.
struct KvTransfers {
  std::int64_t requests = 0;
  DurationStatistics exposed_s;  ///< From the first token of a request until its KV was there.
};

struct NetworkSummary {
  std::optional<double> bytes;  ///< Carried by flows; absent when nothing can meet on a link.
  double exposed_s = 0;         ///< Communication that nothing hides: of busy time, summed over instances, and of KV, over requests.
  double share_of_busy = 0;     ///< Of busy time alone.
  std::optional<KvTransfers> kv;
  std::vector<LinkLoad> links;
  std::vector<PoolCommunication> pools;  ///< Those that communicated.
};

/// Simulated against observed latencies of the requests whose log had them.
struct LoggedLatency {
  std::int64_t requests = 0;
  DurationStatistics simulated;
  DurationStatistics logged;
  double mean_error_s = 0;         ///< Simulated − logged; its sign says which way the model leans.
  DurationStatistics absolute_error;  ///< |simulated − logged| request by request.
};

enum class RunStatus : std::uint8_t { complete, cancelled, stalled };

/// What summary.json says. A part that the run did not have is absent, never zero.
struct RunSummary {
  RunStatus status = RunStatus::complete;
  std::string status_reason;  ///< Why a run is not complete; the watchdog's sentence.
  RequestCounts requests;
  double duration_s = 0;  ///< First arrival to last event.
  std::optional<MeasuredWindow> window;
  std::optional<DurationStatistics> ttft_s, tpot_s, itl_s, e2e_s, queue_s;
  std::optional<DurationStatistics> first_visible_s;  ///< Of requests with hidden reasoning.
  double requests_per_s = 0;
  double input_tokens_per_s = 0;
  double output_tokens_per_s = 0;
  std::optional<SloSummary> slo;
  std::vector<PoolSummary> pools;
  struct PrefixCache {
    std::int64_t hit_tokens = 0, lookup_tokens = 0;
    std::vector<KvTierUse> tiers;
  };
  std::optional<PrefixCache> prefix_cache;
  std::vector<StationSummary> stations;
  std::optional<ChainSummary> chains;
  std::optional<VoiceSummary> voice;
  std::optional<AnswerQuality> quality;  ///< Where every pool that completed requests states one.
  std::vector<RateMatch> rate_match;
  std::vector<LayerSides> layer_sides;
  std::optional<NetworkSummary> network;
  std::optional<ItPower> it;
  std::optional<ProvenanceShares> provenance;  ///< Of busy time; absent when nothing was busy.
  std::optional<BoundShares> bound;            ///< What busy time waited for.
  std::optional<LoggedLatency> logged_ttft, logged_e2e;
  std::vector<std::string> warnings;
};

}  // namespace rackwright::results
