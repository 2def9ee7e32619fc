#include "models/kernels/serve/serving_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "models/kernels/serve/request_list.h"
#include "models/kernels/serve/serving_check.h"
#include "models/kernels/serve/serving_run.h"

namespace rackwright::kernels {
namespace {

using Fields = std::vector<std::string>;

std::string whole(long long value) { return fmt::format("{}", value); }
std::string seconds(double value) { return fmt::format("{:.6f}", value); }

/// Of one property of some steps, in microseconds; empty for none.
struct StepSpread {
  std::vector<double> us;

  std::string at(double quantile) {
    if (us.empty()) return {};
    std::ranges::sort(us);
    return number(us[static_cast<std::size_t>(quantile * static_cast<double>(us.size() - 1))]);
  }
};

/// Properties of the steps of one kind.
struct StepKind {
  StepSpread duration, busy, gap;
  long steps = 0, decodes = 0, prompt_tokens = 0, context_tokens = 0;

  void add(const ServedStep& step) {
    ++steps;
    duration.us.push_back(1e6 * step.duration_s);
    busy.us.push_back(1e6 * step.busy_s);
    if (step.gap_s >= 0) gap.us.push_back(1e6 * step.gap_s);
    decodes += step.decodes;
    prompt_tokens += step.prompt_tokens;
    context_tokens += step.context_tokens;
  }
  std::string mean(long sum) const { return steps == 0 ? std::string() : number(static_cast<double>(sum) / static_cast<double>(steps)); }
};

class ServingTables {
 public:
  void add_check(const ServingCheckRow& row) { check_.add_raw({row.name, number(row.attention_error), number(row.logit_error)}); }

  void add(const std::string& name, const std::vector<ServedRequest>& requests, const ServedRun& run) {
    add_run(name, requests, run);
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests_.add_raw({name, seconds(requests[i].arrival_s), whole(requests[i].input_tokens), whole(requests[i].output_tokens),
                         seconds(run.times[i].admitted_s), seconds(run.times[i].first_token_s), seconds(run.times[i].finish_s)});
    for (const ServedStep& s : run.steps)
      steps_.add_raw({name, seconds(s.start_s), fmt::format("{:.1f}", 1e6 * s.duration_s), fmt::format("{:.1f}", 1e6 * s.busy_s),
                      s.gap_s < 0 ? std::string() : fmt::format("{:.1f}", 1e6 * s.gap_s), whole(s.decodes), whole(s.prompt_tokens), whole(s.prompts),
                      whole(s.context_tokens), whole(s.longest_context)});
    for (const StepBucket bucket : serving_buckets()) {
      StepKind kind;
      for (const ServedStep& step : run.steps)
        if (bucket_of(step.decodes, step.prompt_tokens) == bucket) kind.add(step);
      if (kind.steps == 0) continue;
      classes_.add_raw({name, whole(bucket.decodes), whole(bucket.prompt_tokens), whole(kind.steps), kind.mean(kind.decodes),
                        kind.mean(kind.prompt_tokens), kind.mean(kind.context_tokens), kind.busy.at(0.5), kind.busy.at(0.1), kind.busy.at(0.9),
                        kind.gap.at(0.5)});
    }
  }

  void write(const std::filesystem::path& out, const ProfileHeader& header) const {
    for (const ProfileTable* table : {&check_, &runs_, &classes_, &requests_, &steps_}) table->write(out, header);
  }

 private:
  void add_run(const std::string& name, const std::vector<ServedRequest>& requests, const ServedRun& run) {
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
    runs_.add_raw({name, whole(static_cast<long>(requests.size())), whole(input), whole(output), seconds(run.duration_s), number(run.energy_j),
                   number(run.energy_j / run.duration_s), number(run.sm_mhz), number(run.driver_mhz), whole(run.temperature_c), whole(all.steps),
                   decodes.duration.at(0.5), decodes.busy.at(0.5), mixed.duration.at(0.5), mixed.busy.at(0.5), all.gap.at(0.1), all.gap.at(0.5),
                   all.gap.at(0.9)});
  }

  ProfileTable check_ = ProfileTable::untimed("serve_check", {"step", "attention_error", "logit_error"});
  ProfileTable runs_ = ProfileTable::untimed(
      "serve", {"run", "requests", "input_tokens", "output_tokens", "duration_s", "energy_j", "mean_w", "sm_mhz", "driver_mhz", "temperature_c", "steps",
                "decode_step_us", "decode_busy_us", "mixed_step_us", "mixed_busy_us", "gap_p10_us", "gap_us", "gap_p90_us"});
  ProfileTable classes_ = ProfileTable::untimed("serve_classes", {"run", "decode_bucket", "prompt_bucket", "steps", "decodes", "prompt_tokens",
                                                                  "context_tokens", "busy_us", "busy_p10_us", "busy_p90_us", "gap_us"});
  ProfileTable requests_ = ProfileTable::untimed(
      "serve_requests", {"run", "arrival_s", "input_tokens", "output_tokens", "admitted_s", "first_token_s", "finish_s"});
  ProfileTable steps_ = ProfileTable::untimed("serve_steps", {"run", "start_s", "duration_us", "busy_us", "gap_us", "decodes", "prompt_tokens",
                                                              "prompts", "context_tokens", "longest_context"});
};

std::vector<ServedRequest> requests_of(const std::string& file, double until_s) {
  std::vector<ServedRequest> requests = read_request_list(file);
  if (until_s > 0) std::erase_if(requests, [&](const ServedRequest& request) { return request.arrival_s > until_s; });
  return requests;
}

}  // namespace

void profile_serving(ProfileSession& session, const ServingOptions& options, const std::filesystem::path& out, const ProfileHeader& header) {
  std::vector<std::vector<ServedRequest>> lists;
  for (const std::string& file : options.requests) lists.push_back(requests_of(file, options.seconds));
  const ArenaScope scope(session.arena);
  ServingEngine engine(session, session.seed);
  ServingTables tables;
  for (const ServingCheckRow& row : check_serving(engine, session.seed)) {
    tables.add_check(row);
    std::printf("check: %-46s attention %.2g, logits %.2g\n", row.name.c_str(), row.attention_error, row.logit_error);
  }
  std::fflush(stdout);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::string name = std::filesystem::path(options.requests[i]).stem().string();
    const ServedRun run = serve(engine, session, lists[i], options.warm_up_s);
    tables.add(name, lists[i], run);
    tables.write(out, header);
    std::printf("%-12s %5zu requests %6zu steps %7.2f s %7.0f J %5.0f W %5.0f MHz\n", name.c_str(), lists[i].size(), run.steps.size(), run.duration_s,
                run.energy_j, run.energy_j / run.duration_s, run.sm_mhz);
    std::fflush(stdout);
  }
}

}  // namespace rackwright::kernels
