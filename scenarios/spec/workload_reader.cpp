#include "scenarios/spec/workload_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/generator_reader.h"
#include "scenarios/spec/input_files.h"
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
                           Findings& findings) {
  const v1::Workload& workload = scenario.workload();
  WorkloadSpec spec;
  if (workload.has_trace()) spec.trace = trace_spec(workload.trace(), scenario_file, findings);
  if (!workload.has_trace() && workload.has_generator()) spec.generator = generator_spec(workload, findings);
  if (!workload.has_trace() && !workload.has_generator()) {
    findings.error("workload", "there is neither a trace nor a generator", "give 'trace: FILE' or 'generator: NAME'");
  }
  check_model_map(workload, pools, findings);
  spec.models.insert(workload.models().begin(), workload.models().end());
  return spec;
}

}  // namespace rackwright::scenarios
