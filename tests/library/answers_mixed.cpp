// Answers of scenarios/library/mixed.
#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "tests/library/library_answer.h"

namespace rackwright::test {
namespace {

using report::grouped;
using report::percent;
using report::quantity;
using report::rounded;
using results::RunSummary;

std::string s(double seconds) { return quantity(seconds, "s"); }
std::string w(double watts) { return quantity(watts, "W"); }
std::string joules_a_token(const RunSummary& run) { return quantity(*run.it->per_output_token_j, "J"); }

std::string gpu_prefill_sram_decode(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/gpu_prefill_sram_decode.yaml");
  const results::RateMatch& match = run.rate_match.at(0);
  return fmt::format("{} a token at 6 requests/s and {} to the first; {} binds, at {} requests/s against {} of {}. A token takes {}, as nine racks of LPU draw power whether they decode or not: {} in the mean.",
                     s(run.tpot_s->mean), s(run.ttft_s->mean), match.binds(), rounded(std::min(match.prefill_requests_per_s, match.decode_requests_per_s)),
                     rounded(std::max(match.prefill_requests_per_s, match.decode_requests_per_s)), match.binds() == "prefill" ? "decode" : "prefill", joules_a_token(run), w(run.it->mean_w));
}

std::string gpu_attention_sram_ffn(LibraryRuns& runs) {
  const RunSummary &run = runs.of("mixed/gpu_attention_sram_ffn.yaml"), &gpu = runs.of("mixed/gpu_alone_gpt_oss.yaml");
  const results::LayerSides& sides = run.layer_sides.at(0);
  return fmt::format("{}, where a layer takes {} of experts and {} of attention; with the {} sequences of this load the experts are busy for {} of the time, with synchronisations as the predecessor's. "
                     "{} a token and {}, against {} and {} on the same GPUs alone.",
                     as_long_as(sides.binds() == "attention", "At full load they are"), s(sides.feed_forward_s), s(sides.attention_s), rounded(pool_of(run, "attention").mean_batch),
                     percent(pool_of(run, "experts").utilization), s(run.tpot_s->mean), joules_a_token(run), s(gpu.tpot_s->mean), joules_a_token(gpu));
}

std::string gpu_alone(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/gpu_alone_gpt_oss.yaml");
  return fmt::format("Little, at few users: {} a token and {}, with {} of busy time in memory.", s(run.tpot_s->mean), joules_a_token(run), percent(bound_share(*run.bound, "memory")));
}

std::string draft_on_cpu(LibraryRuns& runs) {
  const RunSummary &parallel = runs.of("mixed/draft_on_cpu.yaml"), &serial = runs.of("mixed/draft_on_cpu.yaml", {{"deployment.target.speculation.mode", "serial"}});
  return fmt::format("{}: {} a token with both at work at once, {} in turn, since a draft that was made in vain is made anew.",
                     as_long_as(serial.tpot_s->mean < parallel.tpot_s->mean, "It does not keep up"), s(parallel.tpot_s->mean), s(serial.tpot_s->mean));
}

std::string draft_on_sram(LibraryRuns& runs) {
  const RunSummary &lpu = runs.of("mixed/draft_on_sram.yaml"), &cpu = runs.of("mixed/draft_on_cpu.yaml");
  return fmt::format("{}: {} a token instead of {}, at {} instead of {}.", as_long_as(lpu.tpot_s->mean < cpu.tpot_s->mean && *lpu.it->per_output_token_j > *cpu.it->per_output_token_j, "Faster, at more energy a token"),
                     s(lpu.tpot_s->mean), s(cpu.tpot_s->mean), joules_a_token(lpu), joules_a_token(cpu));
}

std::string way_to_first_audio(const RunSummary& run) {
  return fmt::format("{} at p95; of {} in the mean {} are recognition, {} the model, {} synthesis and {} the network", s(run.voice->first_audio_s.p95), s(run.voice->first_audio_s.mean),
                     s(run.voice->recognition_s), s(run.voice->model_s), s(run.voice->synthesis_s), s(run.voice->network_s));
}

std::string voice_gpu(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/voice_gpu.yaml");
  return fmt::format("{}: {}. The GPUs are busy for {} of the time.", as_long_as(run.voice->first_audio_s.p95 < 0.8, "Yes"), way_to_first_audio(run), percent(pool_of(run, "voice").utilization));
}

std::string voice_lpu(LibraryRuns& runs) {
  const RunSummary &lpu = runs.of("mixed/voice_lpu.yaml"), &gpu = runs.of("mixed/voice_gpu.yaml");
  return fmt::format("{} sooner, at {} instead of {}: {}.", s(gpu.voice->first_audio_s.mean - lpu.voice->first_audio_s.mean), w(lpu.it->mean_w), w(gpu.it->mean_w), way_to_first_audio(lpu));
}

std::string voice_mixed(LibraryRuns& runs) {
  const RunSummary &mixed = runs.of("mixed/voice_mixed.yaml"), &lpu = runs.of("mixed/voice_lpu.yaml"), &gpu = runs.of("mixed/voice_gpu.yaml");
  const double mean = mixed.voice->first_audio_s.mean;
  return fmt::format("{}: {} in the mean, between {} on GPUs and {} on SRAM; a first token takes {} longer than on SRAM.",
                     as_long_as(mean < gpu.voice->first_audio_s.mean && mean > lpu.voice->first_audio_s.mean, "No"), s(mean), s(gpu.voice->first_audio_s.mean), s(lpu.voice->first_audio_s.mean),
                     s(mixed.ttft_s->mean - lpu.ttft_s->mean));
}

std::string agents(LibraryRuns& runs) {
  const RunSummary &run = runs.of("mixed/agents_cpu_gpu.yaml"), &one_socket = runs.of("mixed/agents_cpu_gpu.yaml", {{"stations.tools.on", "cpu[0]"}});
  const results::ChainSummary& tasks = *run.chains;
  return fmt::format("{}: the models are busy for {} of the time, the workers for {}. Of {} a task spends {} in tools and {} in models. With one socket for eight GPUs a task takes {}, and {} of that are spent waiting for workers.",
                     as_long_as(tasks.binds() == "nothing", "Neither side makes tasks wait"), percent(pool_of(run, "agent").utilization), percent(run.stations.at(0).utilization), s(tasks.e2e_s.mean),
                     s(tasks.tool_s), s(tasks.model_s), s(one_socket.chains->e2e_s.mean), s(one_socket.chains->tool_wait_s));
}

std::string local_cloud(LibraryRuns& runs) {
  const RunSummary &run = runs.of("mixed/local_cloud.yaml"), &cloud = runs.of("mixed/local_cloud.yaml", {{"workload.classes.simple.model", "large"}});
  const auto p95 = [](const RunSummary& summary, const char* name) {
    for (const results::Objective& o : summary.slo->objectives)
      if (o.request_class == name && o.target.metric == results::LatencyMetric::e2e) return *o.value_s;
    return 0.0;
  };
  return fmt::format("Simple questions end within {} at p95 and hard ones within {}; all in the cloud {} and {}. Right answers for each kJ: {} against {}, at {} against {}, the machines of the desks included in both.",
                     s(p95(run, "simple")), s(p95(run, "hard")), s(p95(cloud, "simple")), s(p95(cloud, "hard")), rounded(run.quality->per_j * 1000), rounded(cloud.quality->per_j * 1000),
                     w(run.it->mean_w), w(cloud.it->mean_w));
}

std::string attention_on_cpu(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/attention_on_cpu.yaml");
  return fmt::format("The {} side binds; {} a token, and the CPUs are busy for {} of the time.", run.layer_sides.at(0).binds(), s(run.tpot_s->mean), percent(pool_of(run, "attention").utilization));
}

std::string small_model(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/small_model_on_cpu.yaml");
  return fmt::format("{}: {} a token, {} busy; memory bandwidth bounds {} of the time.", as_long_as(run.slo->attainment == 1, "Yes"), s(run.tpot_s->mean), percent(pool_of(run, "small").utilization),
                     percent(bound_share(*run.bound, "memory")));
}

std::string launches(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/launch_overhead.yaml");
  const results::PoolSummary &eager = pool_of(run, "launched"), &graphs = pool_of(run, "graphs");
  const double one = decode_at(eager, 1).tokens_per_s(), one_graph = decode_at(graphs, 1).tokens_per_s();
  std::string hidden = "at no batch that occurs";
  for (const results::DecodeBatch& batch : eager.decode_batches) {
    if (bound_share(batch.bound, "host") > 0.5) continue;
    hidden = fmt::format("from {} on", grouped(batch.sequences, 1));
    break;
  }
  return fmt::format("One user gets {} tokens/s instead of {} in graphs, {} of the speed; 32 users {} instead of {}, and 256 {} instead of {}. Launches are less than half of a step {}.", rounded(one), rounded(one_graph),
                     percent(one / one_graph), rounded(decode_at(eager, 32).tokens_per_s()), rounded(decode_at(graphs, 32).tokens_per_s()), rounded(decode_at(eager, 256).tokens_per_s()),
                     rounded(decode_at(graphs, 256).tokens_per_s()), hidden);
}

std::string bandwidth(LibraryRuns& runs) {
  const RunSummary& run = runs.of("mixed/decode_bandwidth.yaml");
  const results::PoolSummary& chat = pool_of(run, "chat");
  double last = 0;
  for (const results::DecodeBatch& batch : chat.decode_batches)
    if (bound_share(batch.bound, "memory") > 0.5) last = batch.sequences;
  const auto rate = [&](double users) { return rounded(decode_at(chat, users).tokens_per_s()); };
  return fmt::format("Memory bounds more than half of a step up to {} users. One gets {} tokens/s, 8 together {}, 64 {}, 128 {}, 256 {} and 512 {}.", grouped(last, 1), rate(1), rate(8), rate(64), rate(128), rate(256),
                     rate(512));
}

std::string long_prompts(LibraryRuns& runs) {
  return fmt::format("{}.", s(runs.of("mixed/long_prompts.yaml").ttft_s->mean));
}

std::string within(const RunSummary& run) { return percent(run.slo->attainment); }

std::string long_prompts_split(LibraryRuns& runs) {
  const RunSummary &split = runs.of("mixed/long_prompts_split.yaml"), &together = runs.of("mixed/long_prompts_together.yaml");
  return fmt::format("{}: {} of the requests keep their objectives, {} together.", as_long_as(split.slo->attainment > together.slo->attainment, "Yes"), within(split), within(together));
}

std::string long_prompts_together(LibraryRuns& runs) {
  const RunSummary &split = runs.of("mixed/long_prompts_split.yaml"), &together = runs.of("mixed/long_prompts_together.yaml");
  return fmt::format("{} a token instead of {}; {} of the requests keep their objectives.", s(together.tpot_s->mean), s(split.tpot_s->mean), within(together));
}

std::string long_answers_split(LibraryRuns& runs) {
  const RunSummary &split = runs.of("mixed/long_answers_split.yaml"), &together = runs.of("mixed/long_answers_together.yaml");
  return fmt::format("{} of the requests keep their objectives, {} together: a first token takes {} at p90 instead of {}.", as_long_as(split.slo->attainment < together.slo->attainment, within(split)),
                     within(together), s(split.ttft_s->p90), s(together.ttft_s->p90));
}

std::string long_answers_together(LibraryRuns& runs) {
  const RunSummary& together = runs.of("mixed/long_answers_together.yaml");
  return fmt::format("{} a token at p90, and {} of the requests keep their objectives.", s(together.tpot_s->p90), within(together));
}

std::string sarathi(LibraryRuns& runs) {
  const std::string file = "mixed/sarathi_ordering.yaml";
  const std::vector<scenarios::Setting> hybrid{{"deployment.chat.scheduler.policy", "vllm-v1"}, {"deployment.chat.scheduler.chunked_prefill", "false"}, {"deployment.chat.scheduler.token_budget", "8192"}};
  const auto times = [&](const std::vector<scenarios::Setting>& settings) {
    const RunSummary& run = runs.of(file, settings);
    return fmt::format("{} and {}", s(run.ttft_s->p50), s(run.itl_s->p99));
  };
  return fmt::format("Time to first token at p50 and time between tokens at p99: both {}, chunks alone {}, hybrid steps alone {}.", times({}), times({{"deployment.chat.scheduler.steps", "alternating"}}), times(hybrid));
}

std::string skewed(LibraryRuns& runs) {
  const std::string file = "mixed/skewed_experts.yaml";
  const auto rate = [&](const std::vector<scenarios::Setting>& settings) { return runs.of(file, settings).output_tokens_per_s; };
  const double even = rate({{"deployment.chat.experts", "even"}}), in_order = rate({{"deployment.chat.experts", "{load: power-law, exponent: 0.5}"}}), copies = rate({});
  return fmt::format("{} of the throughput in the order of their numbers, {} placed by load with copies.", percent(1 - in_order / even), percent(1 - copies / even));
}

}  // namespace

LibraryChapter mixed_chapter() {
  return {"mixed",
          "Mixed accelerators, and what decides between layouts",
          "GPUs, SRAM machines and CPUs together, voice and agents, and the effects that decide between layouts.",
          {{"mixed/gpu_prefill_sram_decode.yaml", gpu_prefill_sram_decode},
           {"mixed/gpu_attention_sram_ffn.yaml", gpu_attention_sram_ffn},
           {"mixed/gpu_alone_gpt_oss.yaml", gpu_alone},
           {"mixed/draft_on_cpu.yaml", draft_on_cpu},
           {"mixed/draft_on_sram.yaml", draft_on_sram},
           {"mixed/voice_gpu.yaml", voice_gpu},
           {"mixed/voice_lpu.yaml", voice_lpu},
           {"mixed/voice_mixed.yaml", voice_mixed},
           {"mixed/agents_cpu_gpu.yaml", agents},
           {"mixed/local_cloud.yaml", local_cloud},
           {"mixed/attention_on_cpu.yaml", attention_on_cpu},
           {"mixed/small_model_on_cpu.yaml", small_model},
           {"mixed/launch_overhead.yaml", launches},
           {"mixed/decode_bandwidth.yaml", bandwidth},
           {"mixed/long_prompts.yaml", long_prompts},
           {"mixed/long_prompts_split.yaml", long_prompts_split},
           {"mixed/long_prompts_together.yaml", long_prompts_together},
           {"mixed/long_answers_split.yaml", long_answers_split},
           {"mixed/long_answers_together.yaml", long_answers_together},
           {"mixed/sarathi_ordering.yaml", sarathi},
           {"mixed/skewed_experts.yaml", skewed}}};
}

}  // namespace rackwright::test
