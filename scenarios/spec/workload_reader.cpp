#include "scenarios/spec/workload_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/generator_reader.h"
#include "scenarios/spec/input_files.h"
#include "scenarios/spec/station_reader.h"
#include "traces/formats/trace_format.h"

namespace rackwright::scenarios {
namespace {

traces::TimeUnit time_unit(v1::TimeUnit unit) {
  switch (unit) {
    case v1::TIME_UNIT_S: return traces::TimeUnit::seconds;
    case v1::TIME_UNIT_MS: return traces::TimeUnit::milliseconds;
    case v1::TIME_UNIT_US: return traces::TimeUnit::microseconds;
    case v1::TIME_UNIT_NS: return traces::TimeUnit::nanoseconds;
    default: return traces::TimeUnit::automatic;
  }
}

traces::ColumnMapping column_mapping(const v1::TraceColumns& columns) {
  const traces::TimeUnit unit = time_unit(effective_choice<v1::TimeUnit>(columns, v1::TraceColumns::kTimeUnitFieldNumber));
  traces::ColumnMapping mapping;
  const auto map = [&](traces::Field field, const std::string& name) {
    if (!name.empty()) mapping[field].emplace_back(name, unit);
  };
  map(traces::Field::arrival, columns.arrival());
  map(traces::Field::input_tokens, columns.input_tokens());
  map(traces::Field::output_tokens, columns.output_tokens());
  map(traces::Field::model, columns.model());
  map(traces::Field::request_class, columns.class_());
  map(traces::Field::session, columns.session());
  map(traces::Field::first_token, columns.first_token());
  map(traces::Field::completion, columns.completion());
  map(traces::Field::id, columns.id());
  map(traces::Field::parent, columns.parent());
  map(traces::Field::think_time, columns.think_time());
  map(traces::Field::tool, columns.tool());
  map(traces::Field::tool_time, columns.tool_time());
  map(traces::Field::reasoning_tokens, columns.reasoning_tokens());
  map(traces::Field::acceptance, columns.acceptance());
  map(traces::Field::speech, columns.speech());
  return mapping;
}

traces::TraceOptions trace_options(const v1::Trace& trace, Findings& findings) {
  traces::TraceOptions options;
  const std::string format = effective_text(trace, v1::Trace::kFormatFieldNumber);
  if (format == "columns") {
    if (!trace.has_columns()) findings.error("workload.trace.format", "the format 'columns' needs a mapping", "give 'columns'");
    options.mapping = column_mapping(trace.columns());
  } else if (format != "auto") {
    if (!traces::find_trace_format(format)) {
      std::vector<std::string> names{"auto", "columns"};
      for (const traces::TraceFormat* known : traces::trace_formats()) names.emplace_back(known->name);
      findings.error("workload.trace.format", fmt::format("no trace format is called '{}'", format), name_hint(format, names));
    }
    options.format = format;
  }
  return options;
}

TraceSpec trace_spec(const v1::Trace& trace, const std::string& scenario_file, Findings& findings) {
  TraceSpec spec;
  spec.file = trace.file();
  if (const auto found = find_input(trace.file(), scenario_file)) {
    spec.path = found->string();
  } else {
    findings.error("workload.trace.file", fmt::format("no file '{}' beside the scenario or under RACKWRIGHT_DATA", trace.file()),
                   "set RACKWRIGHT_DATA, or --set workload.trace.file=PATH");
  }
  spec.options = trace_options(trace, findings);
  spec.scale_time = effective_quantity(trace, v1::Trace::kScaleTimeFieldNumber);
  spec.start = sim_time(effective_quantity(trace, v1::Trace::kStartFieldNumber));
  if (trace.has_duration()) spec.duration = sim_time(trace.duration());
  if (trace.has_max_requests()) spec.max_requests = trace.max_requests();
  if (trace.has_clip_input()) spec.clip_input_tokens = trace.clip_input();
  if (trace.has_clip_total()) spec.clip_total_tokens = trace.clip_total();
  if (trace.has_dequantize()) spec.dequantize = sim_time(trace.dequantize());
  return spec;
}

/// What speech and further completions ask of the pools.
void check_beside_pools(const WorkloadSpec& workload, const std::vector<PoolSpec>& pools, Findings& findings) {
  if (workload.voice && workload.samples > 1) {
    findings.error("workload.samples.count", "a spoken answer begins before it is known which completion it will be", "leave out 'samples' or 'voice'");
  }
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const PoolSpec& pool = pools[i];
    const std::string path = fmt::format("deployment[{}]", i);
    if (workload.voice && pool.client_delay_s > 0) {
      findings.error(path + ".client_delay", "speech reaches the pool through the hall", "give the caller's distance as workload.voice.network_delay");
    }
    const bool answers_whole = pool.role == PoolRole::mixed || pool.role == PoolRole::draft;
    if (workload.samples > 1 && !answers_whole) {
      findings.error("workload.samples.count", fmt::format("several completions share the KV of a prompt, and pool '{}' does only a part of a request", pool.name),
                     "serve them with pools of 'role: mixed'");
    }
  }
}

void check_model_map(const v1::Workload& workload, const std::vector<PoolSpec>& pools, Findings& findings) {
  std::vector<std::string> served;
  for (const PoolSpec& pool : pools) served.push_back(pool.model_name);
  for (const auto& [logged, model] : workload.models()) {
    if (std::ranges::find(served, model) == served.end()) {
      findings.error(fmt::format("workload.models.\"{}\"", logged), fmt::format("no pool serves '{}'", model), name_hint(model, served));
    }
  }
}

}  // namespace

WorkloadSpec workload_spec(const v1::Scenario& scenario, const std::string& scenario_file, const std::vector<PoolSpec>& pools,
                           const std::vector<StationSpec>& stations, Findings& findings) {
  const v1::Workload& workload = scenario.workload();
  WorkloadSpec spec;
  spec.tools = tool_specs(workload, stations, findings);
  spec.voice = voice_spec(workload, stations, findings);
  warn_of_idle_stations(stations, spec.tools, spec.voice, findings);
  if (workload.has_samples()) {
    spec.samples = workload.samples().count();
    spec.first_sample_answers = effective_choice<v1::SampleRule>(workload.samples(), v1::Samples::kFinishFieldNumber) == v1::SAMPLE_RULE_FIRST;
  }
  check_beside_pools(spec, pools, findings);
  if (workload.has_trace()) spec.trace = trace_spec(workload.trace(), scenario_file, findings);
  if (!workload.has_trace() && workload.has_generator()) spec.generator = generator_spec(workload, spec, findings);
  if (!spec.tools.empty() && spec.generator && !spec.generator->chain) {
    findings.warning("workload.tools", "no effect: workload.tools, because the generator makes single requests", "give it a 'chain'");
  }
  if (!workload.has_trace() && !workload.has_generator()) {
    findings.error("workload", "there is neither a trace nor a generator", "give 'trace: FILE' or 'generator: NAME'");
  }
  check_model_map(workload, pools, findings);
  spec.models.insert(workload.models().begin(), workload.models().end());
  return spec;
}

}  // namespace rackwright::scenarios
