#include "models/kernels/serve/serving_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace rackwright::kernels {
namespace {

Fields joined(Fields first, const Fields& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Of one property of some steps, in microseconds; empty for none.
struct StepSpread {
  std::vector<double> us;

  void add(double seconds) {
    if (seconds >= 0) us.push_back(1e6 * seconds);
  }
  std::string at(double quantile) {
    if (us.empty()) return {};
    std::ranges::sort(us);
    return number(us[static_cast<std::size_t>(quantile * static_cast<double>(us.size() - 1))]);
  }
};

/// Properties of the steps of one kind.
struct StepKind {
  StepSpread duration, busy, gap, exposed;
  double busy_s = 0;
  long steps = 0, decodes = 0, prompt_tokens = 0, context_tokens = 0;

  void add(const ServedStep& step) {
    ++steps;
    duration.add(step.duration_s);
    busy.add(step.busy_s);
    gap.add(step.gap_s);
    exposed.add(step.exposed_s);
    busy_s += step.busy_s;
    decodes += step.decodes;
    prompt_tokens += step.prompt_tokens;
    context_tokens += step.context_tokens;
  }
  std::string mean(long sum) const { return steps == 0 ? std::string() : number(static_cast<double>(sum) / static_cast<double>(steps)); }
};

std::string tenths_of_us(double seconds) { return seconds < 0 ? std::string() : fmt::format("{:.1f}", 1e6 * seconds); }

}  // namespace

std::string whole(long long value) { return fmt::format("{}", value); }
std::string moment(double seconds) { return seconds < 0 ? std::string() : fmt::format("{:.6f}", seconds); }

ServingTables::ServingTables(const std::string& family, Fields keys)
    : runs_(ProfileTable::untimed(family, joined(keys, {"requests", "input_tokens", "output_tokens", "duration_s", "energy_j", "mean_w", "sm_mhz",
                                                        "driver_mhz", "temperature_c", "steps", "busy_s", "decode_step_us", "decode_busy_us",
                                                        "mixed_step_us", "mixed_busy_us", "gap_p10_us", "gap_us", "gap_p90_us", "exposed_us",
                                                        "exposed_p99_us", "warm_up_w"}))),
      classes_(ProfileTable::untimed(family + "_classes", joined(keys, {"decode_bucket", "prompt_bucket", "steps", "decodes", "prompt_tokens",
                                                                        "context_tokens", "busy_us", "busy_p10_us", "busy_p90_us", "gap_us"}))),
      steps_(ProfileTable::untimed(family + "_steps", joined(keys, {"start_s", "duration_us", "busy_us", "gap_us", "exposed_us", "decodes",
                                                                    "prompt_tokens", "prompts", "context_tokens", "longest_context"}))) {}

void ServingTables::add(const Fields& keys, const std::vector<ServedRequest>& requests, const ServedRun& run) {
  add_run(keys, requests, run);
  add_classes(keys, run);
  add_steps(keys, run);
}

void ServingTables::write(const std::filesystem::path& out, const ProfileHeader& header) const {
  for (const ProfileTable* table : {&runs_, &classes_, &steps_}) table->write(out, header);
}

void ServingTables::add_run(const Fields& keys, const std::vector<ServedRequest>& requests, const ServedRun& run) {
  long input = 0, output = 0;
  for (const ServedRequest& request : requests) {
    input += request.input_tokens;
    output += request.output_tokens;
  }
  StepKind decodes, mixed, all;
  for (const ServedStep& step : run.steps) {
    all.add(step);
    (step.prompt_tokens > 0 ? mixed : decodes).add(step);
  }
  runs_.add_raw(joined(keys, {whole(static_cast<long>(requests.size())), whole(input), whole(output), moment(run.duration_s), number(run.energy_j),
                              number(run.energy_j / run.duration_s), number(run.sm_mhz), number(run.driver_mhz), whole(run.temperature_c),
                              whole(all.steps), moment(all.busy_s), decodes.duration.at(0.5), decodes.busy.at(0.5), mixed.duration.at(0.5),
                              mixed.busy.at(0.5), all.gap.at(0.1), all.gap.at(0.5), all.gap.at(0.9), all.exposed.at(0.5), all.exposed.at(0.99),
                              number(run.warm_up_w)}));
}

void ServingTables::add_classes(const Fields& keys, const ServedRun& run) {
  for (const StepBucket bucket : serving_buckets()) {
    StepKind kind;
    for (const ServedStep& step : run.steps)
      if (bucket_of(step.decodes, step.prompt_tokens) == bucket) kind.add(step);
    if (kind.steps == 0) continue;
    classes_.add_raw(joined(keys, {whole(bucket.decodes), whole(bucket.prompt_tokens), whole(kind.steps), kind.mean(kind.decodes),
                                   kind.mean(kind.prompt_tokens), kind.mean(kind.context_tokens), kind.busy.at(0.5), kind.busy.at(0.1),
                                   kind.busy.at(0.9), kind.gap.at(0.5)}));
  }
}

void ServingTables::add_steps(const Fields& keys, const ServedRun& run) {
  for (const ServedStep& s : run.steps)
    steps_.add_raw(joined(keys, {moment(s.start_s), tenths_of_us(s.duration_s), tenths_of_us(s.busy_s), tenths_of_us(s.gap_s), tenths_of_us(s.exposed_s),
                                 whole(s.decodes), whole(s.prompt_tokens), whole(s.prompts), whole(s.context_tokens), whole(s.longest_context)}));
}

}  // namespace rackwright::kernels
