// Answers of scenarios/library/network.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/numbers.h"
#include "tests/library/library_answer.h"

namespace rackwright::test {
namespace {

using report::percent;
using report::quantity;
using results::RunSummary;

std::string s(double seconds) { return quantity(seconds, "s"); }
double waiting(const RunSummary& run) { return run.network->share_of_busy; }

std::string overlap_none(LibraryRuns& runs) {
  const std::string file = "network/llama_70b_prefill_overlap_none.yaml";
  const RunSummary &at_1024 = runs.of(file), &at_8192 = runs.of(file, {{"workload.generator.input_tokens", "8192"}, {"workload.rate", "1.5 /s"}});
  return fmt::format("{} of busy time at prompts of 1,024 tokens, {} at 8,192.", percent(waiting(at_1024)), percent(waiting(at_8192)));
}

std::string hidden(LibraryRuns& runs, const std::string& how) {
  const RunSummary &none = runs.of("network/llama_70b_prefill_overlap_none.yaml"), &here = runs.of("network/llama_70b_prefill_overlap_" + how + ".yaml");
  return fmt::format("{} of busy time waits instead of {}; a prompt takes {} instead of {}.", percent(waiting(here)), percent(waiting(none)), s(here.ttft_s->p50), s(none.ttft_s->p50));
}

std::string pd_over_rails(LibraryRuns& runs) {
  const std::string file = "network/pd_over_rails.yaml";
  const RunSummary &wide = runs.of(file), &narrow = runs.of(file, {{"fabric.scale_out.link", "25 Gb/s"}});
  return fmt::format("{}: a request waits {} for its KV at p99; over rails of 25 Gb/s {}.", as_long_as(wide.slo->attainment > 0.99, "Yes"), s(wide.network->kv->exposed_s.p99), s(narrow.network->kv->exposed_s.p99));
}

double decode_waiting(const RunSummary& run, const std::string& pool) {
  const auto found = std::ranges::find(run.network->pools, pool, &results::PoolCommunication::name);
  return found == run.network->pools.end() || !found->decode ? 0 : found->decode->share_of_busy;
}

std::string experts_beside_kv(LibraryRuns& runs) {
  const std::string file = "network/experts_beside_kv.yaml";
  const RunSummary &together = runs.of(file), &apart = runs.of(file, {{"deployment[1].kv_transfer.bandwidth", "200 GB/s"}});
  return fmt::format("Exchanges are waited for during {} of a decoding step instead of {} with a network of their own; {} a token instead of {}.", percent(decode_waiting(together, "tokens")),
                     percent(decode_waiting(apart, "tokens")), s(together.tpot_s->mean), s(apart.tpot_s->mean));
}

std::string tensor_groups(LibraryRuns& runs) {
  const std::string file = "network/tensor_groups_share_rails.yaml";
  const RunSummary &shared = runs.of(file), &own = runs.of(file, {{"fabric.scale_out.hosts_per_pod", "6"}});
  return fmt::format("Communication takes {} of busy time instead of {} where no link is shared; a first token {} instead of {}.", percent(waiting(shared)), percent(waiting(own)), s(shared.ttft_s->mean),
                     s(own.ttft_s->mean));
}

}  // namespace

LibraryChapter network_chapter() {
  return {"network",
          "Network",
          "What waits for the network, and who holds whom up on a shared link.",
          {{"network/llama_70b_prefill_overlap_none.yaml", overlap_none},
           {"network/llama_70b_prefill_overlap_layer.yaml", [](LibraryRuns& runs) { return hidden(runs, "layer"); }},
           {"network/llama_70b_prefill_overlap_tile.yaml", [](LibraryRuns& runs) { return hidden(runs, "tile"); }},
           {"network/pd_over_rails.yaml", pd_over_rails},
           {"network/experts_beside_kv.yaml", experts_beside_kv},
           {"network/tensor_groups_share_rails.yaml", tensor_groups}}};
}

}  // namespace rackwright::test
