#include <fmt/format.h>

#include "scenarios/results/columns.h"
#include "scenarios/results/run_stream.h"
#include "scenarios/schema/run.pb.h"

namespace rackwright::results {
namespace {

namespace pb = run::v1;

RunDescription description(const pb::Header& header) {
  RunDescription run;
  run.version = header.version();
  run.scenario = header.scenario();
  run.question = header.question();
  run.seed = header.seed();
  for (const pb::Pool& from : header.pools()) {
    run.pools.push_back({from.name(), from.role(), from.model(), from.device(), from.sharding(), from.instances(),
                         from.devices_per_instance(), from.kv_block_tokens(), from.prefix_cache(),
                         from.has_quality() ? std::optional(from.quality()) : std::nullopt});
  }
  for (const pb::Station& from : header.stations()) run.stations.push_back({from.name(), from.device(), from.devices(), from.workers()});
  for (const pb::Rack& from : header.racks()) {
    RackDescription rack{from.name(), from.preset(), std::nullopt, std::nullopt};
    if (from.has_power_budget_w()) rack.power_budget_w = from.power_budget_w();
    if (from.has_height_u()) rack.height_u = from.height_u();
    run.racks.push_back(rack);
  }
  for (const pb::RequestClass& from : header.classes()) {
    RequestClass& request_class = run.classes.emplace_back();
    request_class.name = from.name();
    for (const pb::SloTarget& target : from.targets()) {
      request_class.targets.push_back({static_cast<LatencyMetric>(target.metric()), target.quantile(), {target.limit_ps()}});
    }
  }
  for (const pb::Input& from : header.inputs()) run.inputs.push_back({from.kind(), from.path(), from.hash()});
  run.trace_report.assign(header.trace_report().begin(), header.trace_report().end());
  run.unverified_figures.assign(header.unverified_figures().begin(), header.unverified_figures().end());
  run.resolved_scenario = header.resolved_scenario();
  return run;
}

/// A time some picoseconds after another one; what no run could have written is damage.
SimTime after(SimTime base, std::int64_t by) {
  SimTime sum;
  if (__builtin_add_overflow(base.ps, by, &sum.ps)) throw DamagedStream("a time of a request is out of range");
  return sum;
}

std::optional<SimTime> logged_time(std::int64_t distance, SimTime arrival) {
  if (distance == 0) return std::nullopt;
  return after(arrival, distance > 0 ? distance - 1 : distance);
}

/// Holds for every row that a run writes; who reads a stream may rely on it.
bool is_sound(const RequestOutcome& r, const RunDescription& run) {
  if (r.outcome > Outcome::cancelled || r.pool >= run.pools.size() || r.request_class >= run.classes.size()) return false;
  if (r.arrival.ps < 0 || r.input_tokens < 0 || r.output_tokens < 0) return false;
  if (r.tool_time.ps < 0 || r.tool_wait.ps < 0 || r.other_tokens < 0) return false;
  if (r.turn && (r.turn->first_audio < r.turn->start || r.turn->end < r.turn->first_audio || r.turn->longest_gap.ps < 0)) return false;
  if (r.outcome != Outcome::completed) return true;
  return r.arrival <= r.scheduled && r.scheduled <= r.first_token && r.first_token <= r.last_token && r.longest_gap.ps >= 0;
}

std::optional<SpokenTurn> turn(const pb::Requests& rows, int row, int count, SimTime arrival) {
  const std::int64_t before = at(rows.turn_ps(), row, count);
  if (before <= 0) return std::nullopt;
  SpokenTurn turn;
  turn.start = after(arrival, 1 - before);
  turn.first_audio = after(turn.start, at(rows.first_audio_ps(), row, count));
  turn.end = after(turn.first_audio, at(rows.turn_end_ps(), row, count));
  turn.longest_gap = {at(rows.speech_gap_ps(), row, count)};
  turn.network = {at(rows.network_ps(), row, count)};
  turn.recognition = {at(rows.recognition_ps(), row, count)};
  turn.synthesis = {at(rows.synthesis_ps(), row, count)};
  return turn;
}

std::vector<RequestOutcome> requests(const pb::Requests& rows, const RunDescription& run) {
  const int count = static_cast<int>(rows.count());
  // The identifiers are never left out, so they bound what a damaged count may ask for.
  if (count < 0 || (count > 1 && rows.id_size() != count)) {
    throw DamagedStream("a chunk of requests has another length");
  }
  std::vector<RequestOutcome> requests(static_cast<std::size_t>(count));
  std::int64_t id = 0;
  SimTime arrival;
  for (int row = 0; row < count; ++row) {
    RequestOutcome& r = requests[static_cast<std::size_t>(row)];
    id = static_cast<std::int64_t>(static_cast<std::uint64_t>(id) + static_cast<std::uint64_t>(at(rows.id(), row, count)));
    arrival = after(arrival, at(rows.arrival_ps(), row, count));
    r.id = static_cast<std::uint64_t>(id);
    r.outcome = static_cast<Outcome>(at(rows.outcome(), row, count));
    r.pool = at(rows.pool(), row, count);
    r.instance = at(rows.instance(), row, count);
    r.request_class = at(rows.request_class(), row, count);
    r.arrival = arrival;
    r.scheduled = after(arrival, at(rows.scheduled_ps(), row, count));
    r.first_token = after(arrival, at(rows.first_token_ps(), row, count));
    r.last_token = after(r.first_token, at(rows.last_token_ps(), row, count));
    r.longest_gap = {at(rows.longest_gap_ps(), row, count)};
    r.input_tokens = at(rows.input_tokens(), row, count);
    r.output_tokens = at(rows.output_tokens(), row, count);
    r.cached_input_tokens = at(rows.cached_input_tokens(), row, count);
    r.preemptions = at(rows.preemptions(), row, count);
    r.logged.first_token = logged_time(at(rows.logged_first_token_ps(), row, count), arrival);
    r.logged.completion = logged_time(at(rows.logged_completion_ps(), row, count), arrival);
    if (const std::int64_t kv = at(rows.kv_exposed_ps(), row, count); kv > 0) r.kv_exposed = SimTime{kv - 1};
    r.session = at(rows.session(), row, count);
    r.tool_time = {at(rows.tool_ps(), row, count)};
    r.tool_wait = {at(rows.tool_wait_ps(), row, count)};
    r.other_tokens = at(rows.other_tokens(), row, count);
    if (const std::int64_t visible = at(rows.first_visible_ps(), row, count); visible > 0) r.first_visible = after(arrival, visible - 1);
    r.turn = turn(rows, row, count, arrival);
    if (!is_sound(r, run)) throw DamagedStream("a request has impossible values");
  }
  return requests;
}

LiveSample sample(const pb::Sample& from) {
  LiveSample sample{{from.at_ps()}, from.requests_done(), from.output_tokens(), from.it_power_w(), {}};
  for (const pb::PoolSample& pool : from.pools()) sample.pools.push_back({pool.batch(), pool.waiting(), pool.kv_fraction()});
  return sample;
}

Timeline timeline(const pb::Timeline& from) {
  Timeline timeline{from.period_s(), from.end_s(), {}};
  for (const pb::Series& series : from.series()) {
    timeline.series.push_back({series.key(), {series.values().begin(), series.values().end()}});
    if (series.values_size() != from.series(0).values_size()) {
      throw DamagedStream("a series of the timeline has another length");
    }
  }
  return timeline;
}

}  // namespace

RunStreamReader::RunStreamReader(const std::filesystem::path& path) : records_(path) {}

RunStreamReader::~RunStreamReader() = default;

std::optional<StreamRecord> RunStreamReader::next() {
  while (!ended_) {
    const std::optional<std::string_view> bytes = records_.next();
    if (!bytes) return std::nullopt;
    pb::RunRecord record;
    if (!record.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
      throw DamagedStream("a record of the stream does not parse");
    if (!started_ && !record.has_header()) throw DamagedStream("the stream does not begin with a header");
    started_ = true;
    switch (record.record_case()) {
      case pb::RunRecord::kHeader:
        if (record.header().format() > 1)
          throw DamagedStream(
              fmt::format("the stream has format {}, which is newer than this program", record.header().format()));
        run_ = description(record.header());
        return run_;
      case pb::RunRecord::kSample: return sample(record.sample());
      case pb::RunRecord::kRequests: return requests(record.requests(), run_);
      case pb::RunRecord::kTimeline: return timeline(record.timeline());
      case pb::RunRecord::kCurve:
        return DurationCurve{record.curve().metric(), record.curve().count(), record.curve().exact(),
                             {record.curve().values_s().begin(), record.curve().values_s().end()}};
      case pb::RunRecord::kWarning: return StreamWarning{record.warning()};
      case pb::RunRecord::kEnd:
        ended_ = true;
        return StreamEnd{record.end().summary_json(), record.end().requests()};
      case pb::RunRecord::RECORD_NOT_SET: break;  // Of a kind that a later version added.
    }
  }
  return std::nullopt;
}

}  // namespace rackwright::results
