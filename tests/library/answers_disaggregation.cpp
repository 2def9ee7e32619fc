// Answers of scenarios/library/tutorial and scenarios/library/disaggregation.
#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "tests/library/library_answer.h"

namespace rackwright::test {
namespace {

using report::percent;
using report::quantity;
using report::rounded;
using results::RunSummary;

std::string s(double seconds) { return quantity(seconds, "s"); }
std::string w(double watts) { return quantity(watts, "W"); }
std::string joules_a_token(const RunSummary& run) { return quantity(*run.it->per_output_token_j, "J"); }

/// What a user of a chat sees.
std::string ttft_and_tpot(const RunSummary& run) { return fmt::format("{} to the first token and {} a token", s(run.ttft_s->mean), s(run.tpot_s->mean)); }

std::string first_run(LibraryRuns& runs) {
  const RunSummary& run = runs.of("tutorial/first_run.yaml");
  return fmt::format("{} to the first token at p99 and {} a token, within both objectives: {}; the GPUs are in a step for {} of the time and draw {}.",
                     s(run.ttft_s->p99), s(run.tpot_s->p99), as_long_as(run.slo->attainment > 0.999, "all requests"), percent(run.pools[0].utilization), w(run.it->mean_w));
}

std::string pd(LibraryRuns& runs) {
  const std::string apart = "disaggregation/pd_two_h200.yaml", together = "disaggregation/colocated_two_h200.yaml";
  const std::vector<scenarios::Setting> at_20{{"workload.rate", "20 /s"}};
  const RunSummary &low = runs.of(apart), &low_together = runs.of(together), &high = runs.of(apart, at_20), &high_together = runs.of(together, at_20);
  return fmt::format("{}: at 8 requests/s {}, against {} together; at 20 requests/s {}, against {}. At full load {} binds, at {} requests/s. "
                     "At 8 the two boards draw {} instead of {}, and a token waits for KV for {} on average.",
                     as_long_as(low.tpot_s->mean < low_together.tpot_s->mean && low.ttft_s->mean > low_together.ttft_s->mean && high.tpot_s->mean < high_together.tpot_s->mean && high.ttft_s->mean > high_together.ttft_s->mean,
                                "Tokens come sooner and first tokens later than on two GPUs that do both"),
                     ttft_and_tpot(low), ttft_and_tpot(low_together), ttft_and_tpot(high), ttft_and_tpot(high_together), low.rate_match.at(0).binds(),
                     rounded(low.rate_match.at(0).prefill_requests_per_s), w(low.it->mean_w), w(low_together.it->mean_w), s(low.network->kv->exposed_s.mean));
}

std::string waiting_copies(LibraryRuns& runs) {
  const std::string waiting = "disaggregation/pd_two_h200_waiting_copies.yaml";
  const RunSummary &at_4 = runs.of(waiting, {{"workload.rate", "4 /s"}}), &at_14 = runs.of(waiting), &together = runs.of("disaggregation/colocated_two_h200.yaml", {{"workload.rate", "14 /s"}});
  return fmt::format("At 14 requests/s only {} are served, against {} by two boards that do both: {}, since 64 waits of 2 ms hold up each prompt. "
                     "At 4 requests/s a first token takes {}.",
                     rounded(at_14.requests_per_s), rounded(together.requests_per_s),
                     as_long_as(at_14.ttft_s->mean > 60, fmt::format("the queue grows, to {} until the first token on average", s(at_14.ttft_s->mean))), s(at_4.ttft_s->mean));
}

std::string colocated(LibraryRuns& runs) {
  const RunSummary& run = runs.of("disaggregation/colocated_two_h200.yaml", {{"workload.rate", "14 /s"}});
  return fmt::format("At 14 requests/s {}.", ttft_and_tpot(run));
}

std::string speculation(LibraryRuns& runs) {
  const std::string draft = "disaggregation/speculation_two_h200.yaml", plain = "disaggregation/one_token_two_h200.yaml";
  std::string text;
  for (const char* rate : {"0.2 /s", "2 /s", "8 /s"}) {
    const std::vector<scenarios::Setting> at{{"workload.rate", rate}};
    text += fmt::format("{} {} requests/s {} a token instead of {}", text.empty() ? "At" : ", at", std::string(rate).substr(0, std::string(rate).find(' ')),
                        s(runs.of(draft, at).tpot_s->mean), s(runs.of(plain, at).tpot_s->mean));
  }
  const std::vector<scenarios::Setting> at_20{{"workload.rate", "20 /s"}};
  const double with = runs.of(draft, at_20).output_tokens_per_s, without = runs.of(plain, at_20).output_tokens_per_s;
  return text + fmt::format("; at 20 {} of the throughput.", as_long_as(with < without, "it costs " + percent(1 - with / without)));
}

std::string one_token(LibraryRuns& runs) {
  return fmt::format("{} a token at 0.2 requests/s.", s(runs.of("disaggregation/one_token_two_h200.yaml").tpot_s->mean));
}

std::string h20_l40s(LibraryRuns& runs) {
  const std::string file = "disaggregation/afd_h20_l40s.yaml";
  const auto with = [&](const char* count) -> const RunSummary& { return runs.of(file, {{"deployment.attn.micro_batches", count}}); };
  const double one = with("1").tpot_s->mean, two = with("2").tpot_s->mean, three = with("3").tpot_s->mean, four = with("4").tpot_s->mean;
  return fmt::format("The {} side binds, since every micro-batch reads the experts' weights again: {} ({} a token, against {}, {} and {} with two, three and four).",
                     runs.of(file).layer_sides.at(0).binds(), as_long_as(one < two && two < three && three < four, "one is best"), s(one), s(two), s(three), s(four));
}

std::string draft_elsewhere(LibraryRuns& runs) {
  const std::string file = "disaggregation/draft_on_other_gpu.yaml";
  const RunSummary &drafted = runs.of(file), &serial = runs.of(file, {{"deployment.chat.speculation.mode", "serial"}}), &alone = runs.of("disaggregation/without_draft.yaml");
  const double energy = *drafted.it->per_output_token_j / *alone.it->per_output_token_j;
  return fmt::format("{} a token instead of {} without a draft, at {} the energy a token ({} against {}); in turn instead of at once {}.",
                     s(drafted.tpot_s->mean), s(alone.tpot_s->mean), energy < 0.97 ? "less than" : energy < 1.03 ? "about" : fmt::format("{} times", rounded(energy)), joules_a_token(drafted),
                     joules_a_token(alone), s(serial.tpot_s->mean));
}

std::string without_draft(LibraryRuns& runs) {
  const RunSummary& run = runs.of("disaggregation/without_draft.yaml");
  return fmt::format("{} a token and {}.", s(run.tpot_s->mean), joules_a_token(run));
}

}  // namespace

LibraryChapter tutorial_chapter() { return {"tutorial", "To begin with", "A scenario to start from.", {{"tutorial/first_run.yaml", first_run}}}; }

LibraryChapter disaggregation_chapter() {
  return {"disaggregation",
          "Disaggregation",
          "Prompts and tokens apart, attention and experts apart, drafts elsewhere, each beside its yardstick.",
          {{"disaggregation/pd_two_h200.yaml", pd},
           {"disaggregation/colocated_two_h200.yaml", colocated},
           {"disaggregation/pd_two_h200_waiting_copies.yaml", waiting_copies},
           {"disaggregation/afd_h20_l40s.yaml", h20_l40s},
           {"disaggregation/draft_on_other_gpu.yaml", draft_elsewhere},
           {"disaggregation/without_draft.yaml", without_draft},
           {"disaggregation/speculation_two_h200.yaml", speculation},
           {"disaggregation/one_token_two_h200.yaml", one_token}}};
}

}  // namespace rackwright::test
