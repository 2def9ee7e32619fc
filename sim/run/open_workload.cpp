#include "sim/run/open_workload.h"

#include <fmt/format.h>

#include <sstream>

#include "models/base/saturating.h"
#include "scenarios/spec/findings.h"
#include "sim/run/workload_findings.h"
#include "traces/generators/generator.h"
#include "traces/readers/open_trace.h"
#include "traces/records/trace_report.h"
#include "traces/transforms/transforms.h"

namespace rackwright::run {
namespace {

/// As many rows as a log may keep in memory; some 200 bytes each, and their block hashes.
constexpr std::size_t window_of_dependents = 65'536;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

traces::TransformSpec transform_spec(const scenarios::TraceSpec& trace, const scenarios::ScenarioSpec& scenario) {
  traces::TransformSpec spec;
  spec.dequantize_tick = trace.dequantize;
  spec.seed = scenario.seed;
  spec.from = trace.start;
  if (trace.duration) spec.to = saturating_sum(trace.start, *trace.duration);
  if (trace.max_requests) spec.count = static_cast<std::uint64_t>(*trace.max_requests);
  spec.time_scale = trace.scale_time;
  spec.limits.input_tokens = trace.clip_input_tokens;
  spec.limits.total_tokens = trace.clip_total_tokens;
  spec.models = scenario.workload.models;
  return spec;
}

Workload open_stream(const scenarios::ScenarioSpec& scenario, Diagnostics& diagnostics) {
  Workload workload;
  if (scenario.workload.generator) {
    workload.has_chains = scenario.workload.generator->chain.has_value();
    workload.requests = traces::make_generator(*scenario.workload.generator, scenario.seed);
    return workload;
  }
  const scenarios::TraceSpec& trace = *scenario.workload.trace;
  std::unique_ptr<traces::TraceSource> source = traces::open_trace(trace.path, trace.options, diagnostics);
  if (!source) return workload;
  workload.input = results::InputFile{"trace", trace.file, source->report().content_hash};
  workload.report = lines_of(traces::to_text(source->report()));
  workload.changed = std::make_unique<traces::RowCounts>();
  workload.has_chains = source->report().has_parents;
  workload.log = source->report();
  workload.requests = traces::transform(std::move(source), transform_spec(trace, scenario), *workload.changed);
  if (workload.has_chains) workload.requests = traces::release_early(std::move(workload.requests), window_of_dependents);
  if (scenario.workload.samples > 1) workload.requests = traces::more_samples(std::move(workload.requests), scenario.workload.samples);
  return workload;
}

/// A stream of which it is known at once whether it has a request.
class FromFirst final : public traces::RequestSource {
 public:
  explicit FromFirst(traces::Requests source) : source_(std::move(source)), has_first_(source_->next(first_)), is_empty_(!has_first_) {}

  bool is_empty() const { return is_empty_; }
  bool next(traces::Request& request) override {
    if (!has_first_) return !is_empty_ && source_->next(request);
    has_first_ = false;
    request = std::move(first_);
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  traces::Requests source_;
  traces::Request first_;
  bool has_first_;
  bool is_empty_;
};

SimTime last_arrival(traces::RequestSource& requests) {
  SimTime last;
  for (traces::Request request; requests.next(request);) last = request.arrival;
  return last;
}

/// Whether a request arrives at `when` or later. One that follows another may: the run decides when it comes.
bool any_arrives_after(traces::RequestSource& requests, SimTime when) {
  for (traces::Request request; requests.next(request);)
    if (request.arrival >= when || request.parent) return true;
  return false;
}

}  // namespace

Workload open_workload(scenarios::CheckedScenario& checked) {
  const scenarios::ScenarioSpec& scenario = checked.spec;
  Workload workload = open_stream(scenario, checked.diagnostics);
  if (!workload.requests) return workload;
  if (workload.log) warn_of_missing_in_log(checked, *workload.log);
  scenarios::Findings findings(checked.places, checked.diagnostics);
  warn_of_the_end_of_time(checked, findings);
  workload.requests = std::make_unique<FromFirst>(std::move(workload.requests));
  if (static_cast<const FromFirst&>(*workload.requests).is_empty())
    findings.warning("workload", "no request arrives", "lengthen the workload, or raise its rate");
  Diagnostics seen_already;
  workload.window.from = sim_time(scenario.warm_up_s);
  if (scenario.warm_up_s > 0) {
    const bool is_stopped_before = scenario.simulated_time_limit_s && *scenario.simulated_time_limit_s <= scenario.warm_up_s;
    if (is_stopped_before || !any_arrives_after(*open_stream(scenario, seen_already).requests, workload.window.from)) {
      findings.error("output.window.warm_up", "no request arrives after the warm-up", "shorten it, or lengthen the workload");
      return workload;
    }
  }
  if (scenario.cool_down_s > 0) {
    const SimTime last = last_arrival(*open_stream(scenario, seen_already).requests);
    workload.window.to = last - sim_time(scenario.cool_down_s);
    if (workload.window.to <= workload.window.from) {
      findings.error("output.window.cool_down", fmt::format("warm-up and cool-down leave nothing: the last request arrives at {:.3f} s", last.seconds()),
                     "shorten them, or lengthen the workload");
    }
  }
  return workload;
}

std::vector<std::string> changes(const Workload& workload) {
  std::vector<std::string> lines;
  if (!workload.changed) return lines;
  for (const std::string& line : lines_of(traces::to_text(*workload.changed))) {
    lines.push_back("workload.trace: " + line.substr(line.find_first_not_of(' ')));
  }
  return lines;
}

}  // namespace rackwright::run
