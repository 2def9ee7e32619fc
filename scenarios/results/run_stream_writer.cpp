#include "scenarios/results/columns.h"
#include "scenarios/results/output_file.h"
#include "scenarios/results/record_file.h"
#include "scenarios/results/run_stream.h"
#include "scenarios/schema/run.pb.h"

namespace rackwright::results {
namespace {

namespace pb = run::v1;

constexpr std::uint32_t rows_per_chunk = 4'096;

void fill(pb::Header& header, const RunDescription& run) {
  header.set_format(1);
  header.set_version(run.version);
  header.set_scenario(run.scenario);
  header.set_question(run.question);
  header.set_seed(run.seed);
  for (const PoolDescription& pool : run.pools) {
    pb::Pool& to = *header.add_pools();
    to.set_name(pool.name);
    to.set_role(pool.role);
    to.set_model(pool.model);
    to.set_device(pool.device);
    to.set_sharding(pool.sharding);
    to.set_instances(pool.instances);
    to.set_devices_per_instance(pool.devices_per_instance);
    to.set_kv_block_tokens(pool.kv_block_tokens);
    to.set_prefix_cache(pool.prefix_cache);
    if (pool.quality) to.set_quality(*pool.quality);
  }
  for (const StationDescription& station : run.stations) {
    pb::Station& to = *header.add_stations();
    to.set_name(station.name);
    to.set_device(station.device);
    to.set_devices(station.devices);
    to.set_workers(station.workers);
  }
  for (const RackDescription& rack : run.racks) {
    pb::Rack& to = *header.add_racks();
    to.set_name(rack.name);
    to.set_preset(rack.preset);
    if (rack.power_budget_w) to.set_power_budget_w(*rack.power_budget_w);
    if (rack.height_u) to.set_height_u(*rack.height_u);
  }
  for (const RequestClass& request_class : run.classes) {
    pb::RequestClass& to = *header.add_classes();
    to.set_name(request_class.name);
    for (const SloTarget& target : request_class.targets) {
      pb::SloTarget& slo = *to.add_targets();
      slo.set_metric(static_cast<std::uint32_t>(target.metric));
      slo.set_quantile(target.quantile);
      slo.set_limit_ps(target.limit.ps);
    }
  }
  for (const InputFile& input : run.inputs) {
    pb::Input& to = *header.add_inputs();
    to.set_kind(input.kind);
    to.set_path(input.path);
    to.set_hash(input.hash);
  }
  for (const std::string& line : run.trace_report) header.add_trace_report(line);
  for (const std::string& line : run.unverified_figures) header.add_unverified_figures(line);
  header.set_resolved_scenario(run.resolved_scenario);
}

/// 0 for an absent time, else its distance from the arrival, moved past the 0.
std::int64_t logged_distance(const std::optional<SimTime>& logged, SimTime arrival) {
  if (!logged) return 0;
  const std::int64_t distance = (*logged - arrival).ps;
  return distance >= 0 ? distance + 1 : distance;
}

}  // namespace

struct RunStreamWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  void put(const pb::RunRecord& record) {
    append_record(file.buffer(), record);
    file.drain();
  }

  void put_rows() {
    pb::Requests& rows = *chunk.mutable_requests();
    if (rows.count() == 0) return;
    clear_zeros(*rows.mutable_outcome());
    clear_zeros(*rows.mutable_pool());
    clear_zeros(*rows.mutable_instance());
    clear_zeros(*rows.mutable_request_class());
    clear_zeros(*rows.mutable_longest_gap_ps());
    clear_zeros(*rows.mutable_cached_input_tokens());
    clear_zeros(*rows.mutable_preemptions());
    clear_zeros(*rows.mutable_logged_first_token_ps());
    clear_zeros(*rows.mutable_logged_completion_ps());
    clear_zeros(*rows.mutable_kv_exposed_ps());
    clear_zeros(*rows.mutable_session());
    clear_zeros(*rows.mutable_tool_ps());
    clear_zeros(*rows.mutable_tool_wait_ps());
    clear_zeros(*rows.mutable_first_visible_ps());
    clear_zeros(*rows.mutable_turn_ps());
    clear_zeros(*rows.mutable_first_audio_ps());
    clear_zeros(*rows.mutable_speech_gap_ps());
    clear_zeros(*rows.mutable_other_tokens());
    clear_zeros(*rows.mutable_network_ps());
    clear_zeros(*rows.mutable_recognition_ps());
    clear_zeros(*rows.mutable_synthesis_ps());
    clear_zeros(*rows.mutable_turn_end_ps());
    put(chunk);
    rows.Clear();
    last_id = 0;
    last_arrival = {};
  }

  OutputFile file;
  pb::RunRecord chunk;  ///< Rows that wait for a whole chunk; reused, so that its columns keep their memory.
  std::int64_t last_id = 0;
  SimTime last_arrival;
  std::int64_t row_count = 0;
};

RunStreamWriter::RunStreamWriter(const std::filesystem::path& path, const RunDescription& run)
    : state_(std::make_unique<State>(path)) {
  pb::RunRecord record;
  fill(*record.mutable_header(), run);
  state_->put(record);
  flush();
}

RunStreamWriter::~RunStreamWriter() = default;

void RunStreamWriter::add(const RequestOutcome& r) {
  pb::Requests& rows = *state_->chunk.mutable_requests();
  const auto id = static_cast<std::int64_t>(r.id);
  rows.add_id(id - state_->last_id);
  rows.add_outcome(static_cast<std::uint32_t>(r.outcome));
  rows.add_pool(r.pool);
  rows.add_instance(r.instance);
  rows.add_request_class(r.request_class);
  rows.add_arrival_ps((r.arrival - state_->last_arrival).ps);
  rows.add_scheduled_ps((r.scheduled - r.arrival).ps);
  rows.add_first_token_ps((r.first_token - r.arrival).ps);
  rows.add_last_token_ps((r.last_token - r.first_token).ps);
  rows.add_longest_gap_ps(r.longest_gap.ps);
  rows.add_input_tokens(r.input_tokens);
  rows.add_output_tokens(r.output_tokens);
  rows.add_cached_input_tokens(r.cached_input_tokens);
  rows.add_preemptions(r.preemptions);
  rows.add_logged_first_token_ps(logged_distance(r.logged.first_token, r.arrival));
  rows.add_logged_completion_ps(logged_distance(r.logged.completion, r.arrival));
  rows.add_kv_exposed_ps(r.kv_exposed ? r.kv_exposed->ps + 1 : 0);
  rows.add_session(r.session);
  rows.add_tool_ps(r.tool_time.ps);
  rows.add_tool_wait_ps(r.tool_wait.ps);
  rows.add_first_visible_ps(r.first_visible ? (*r.first_visible - r.arrival).ps + 1 : 0);
  rows.add_other_tokens(r.other_tokens);
  const SpokenTurn turn = r.turn.value_or(SpokenTurn{});
  rows.add_turn_ps(r.turn ? (r.arrival - turn.start).ps + 1 : 0);
  rows.add_first_audio_ps((turn.first_audio - turn.start).ps);
  rows.add_speech_gap_ps(turn.longest_gap.ps);
  rows.add_network_ps(turn.network.ps);
  rows.add_recognition_ps(turn.recognition.ps);
  rows.add_synthesis_ps(turn.synthesis.ps);
  rows.add_turn_end_ps((turn.end - turn.first_audio).ps);
  state_->last_id = id;
  state_->last_arrival = r.arrival;
  rows.set_count(rows.count() + 1);
  ++state_->row_count;
  if (rows.count() == rows_per_chunk) state_->put_rows();
}

void RunStreamWriter::add(const LiveSample& sample) {
  state_->put_rows();
  pb::RunRecord record;
  pb::Sample& to = *record.mutable_sample();
  to.set_at_ps(sample.at.ps);
  to.set_requests_done(sample.requests_done);
  to.set_output_tokens(sample.output_tokens);
  to.set_it_power_w(sample.it_power_w);
  for (const PoolSample& pool : sample.pools) {
    pb::PoolSample& seen = *to.add_pools();
    seen.set_batch(pool.batch);
    seen.set_waiting(pool.waiting);
    seen.set_kv_fraction(pool.kv_fraction);
  }
  state_->put(record);
  flush();  // Samples are for those who follow the file, and there are never more than a few thousand.
}

void RunStreamWriter::add(const Timeline& timeline) {
  state_->put_rows();
  pb::RunRecord record;
  pb::Timeline& to = *record.mutable_timeline();
  to.set_period_s(timeline.period_s);
  to.set_end_s(timeline.end_s);
  for (const TimelineSeries& series : timeline.series) {
    pb::Series& column = *to.add_series();
    column.set_key(series.key);
    column.mutable_values()->Add(series.values.begin(), series.values.end());
  }
  state_->put(record);
}

void RunStreamWriter::add(const DurationCurve& curve) {
  pb::RunRecord record;
  pb::Curve& to = *record.mutable_curve();
  to.set_metric(curve.metric);
  to.set_count(curve.count);
  to.set_exact(curve.exact);
  to.mutable_values_s()->Add(curve.values_s.begin(), curve.values_s.end());
  state_->put(record);
}

void RunStreamWriter::add(const StreamWarning& warning) {
  pb::RunRecord record;
  record.set_warning(warning.text);
  state_->put(record);
}

void RunStreamWriter::end(const std::string& summary_json) {
  state_->put_rows();
  pb::RunRecord record;
  record.mutable_end()->set_summary_json(summary_json);
  record.mutable_end()->set_requests(state_->row_count);
  state_->put(record);
  state_->file.close();
}

void RunStreamWriter::flush() { state_->file.flush(); }

}  // namespace rackwright::results
