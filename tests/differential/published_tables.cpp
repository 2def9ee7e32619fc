#include "tests/differential/published_tables.h"

#include <cmath>

#include <fmt/format.h>

#include "tests/support/scenario_run.h"

namespace rackwright::test {
namespace {

using results::RunSummary;

double tokens_per_s_of_a_user(const RunSummary& run) { return 1 / run.tpot_s->mean; }
double tokens_per_s(const RunSummary& run) { return run.output_tokens_per_s; }
double prompt_of_4096_tokens_per_s(const RunSummary& run) { return 4096 / run.ttft_s->mean; }

std::vector<scenarios::Setting> model(const std::string& name) { return {{"deployment.chat.model", name}}; }

std::vector<scenarios::Setting> region(int side) { return {{"deployment.chat.dataflow.region", std::to_string(side)}}; }

std::vector<scenarios::Setting> prompt_region(int side) { return {{"deployment.chat.dataflow.prompt_region", std::to_string(side)}}; }

std::vector<scenarios::Setting> request(int input_tokens, int output_tokens) {
  return {{"workload.generator.input_tokens", std::to_string(input_tokens)}, {"workload.generator.output_tokens", std::to_string(output_tokens)}};
}

std::vector<scenarios::Setting> batch(const std::string& name, int requests) {
  return {{"deployment.chat.model", name}, {"workload.requests", std::to_string(requests)}};
}

std::vector<scenarios::Setting> on_all(const char* name, const char* racks) {
  return {{"deployment.chat.model", name}, {"deployment.chat.on", racks}};
}

/// Of users that all decode at once: their number over the median time between two tokens.
double tokens_per_s_of_all(const RunSummary& run) { return static_cast<double>(run.requests.completed) / run.itl_s->p50; }

/// Every sequence has a token in each step; half of the steps take the median time or less.
double decode_of_nine_nodes(const RunSummary& run) { return static_cast<double>(run.requests.completed) / run.itl_s->p50 / 9; }
double decode_of_sixteen_nodes(const RunSummary& run) { return static_cast<double>(run.requests.completed) / run.itl_s->p50 / 16; }
template <int gpus>
double decode_of_gpus(const RunSummary& run) {
  return static_cast<double>(run.requests.completed) / run.itl_s->p50 / gpus;
}
double prefill_of_four_nodes(const RunSummary& run) { return run.input_tokens_per_s / 4; }

std::vector<scenarios::Setting> prompts(int tokens) {
  return {{"workload.generator.input_tokens", std::to_string(tokens)}, {"workload.requests", std::to_string(4 * 524'288 / tokens)}};
}

std::vector<scenarios::Setting> without_turns(std::vector<scenarios::Setting> settings) {
  settings.push_back({"deployment.prompts.communication.experts", "none"});
  return settings;
}

/// H800 are H100 with slower links in the node.
std::vector<scenarios::Setting> prompts_on_h800(int tokens) {
  std::vector<scenarios::Setting> settings = prompts(tokens);
  settings.push_back({"facility.racks.h100.rack.node.device.links.scale_up", "200 GB/s"});
  return settings;
}

std::vector<scenarios::Setting> deepseek_profile() {
  return {{"deployment.tokens.data_parallel", "128"},
          {"deployment.tokens.expert_parallel", "128"},
          {"facility.racks.h100.rack.nodes", "16"},
          {"facility.racks.h100.rack.node.device.links.scale_up", "200 GB/s"},
          {"workload.requests", "16384"},
          {"workload.generator.input_tokens", "4096"}};
}

std::vector<scenarios::Setting> attention_nodes(int count, std::vector<scenarios::Setting> others) {
  others.push_back({"facility.racks.attn.count", std::to_string(count)});
  return others;
}

std::vector<scenarios::Setting> chips(int count, int input_tokens, const std::string& sync) {
  return {{"deployment.chat.on", fmt::format("chips[0..{}]", count - 1)},
          {"workload.generator.input_tokens", std::to_string(input_tokens)},
          {"facility.racks.chips.rack.node.device.dataflow.sync_latency", sync}};
}

}  // namespace

const std::vector<PublishedTable>& published_tables() {
  constexpr auto calibration = RowUse::calibration;
  constexpr auto check = RowUse::check;
  static const std::vector<PublishedTable> tables{
      {"Speed of one user on Groq LPU v1", "public speeds of Groq's cloud, and Artificial Analysis of September 2024 for Llama-3.1",
       "scenarios/library/validation/groq_lpu.yaml", "tokens/s",
       {{"Llama-2-70B", 300, calibration, 0.005, model("llama-2-70b-int8"), tokens_per_s_of_a_user},
        {"Llama-2-7B", 750, check, 0.02, model("llama-2-7b-int8"), tokens_per_s_of_a_user},
        {"Llama-3-70B, 276 to 300", 288, check, 0.05, model("llama-3-70b-int8"), tokens_per_s_of_a_user},
        {"Llama-3.1-8B", 751, check, 0.02, model("llama-3.1-8b-int8"), tokens_per_s_of_a_user},
        {"Mixtral-8x7B", 480, check, 0.07, model("mixtral-8x7b-int8"), tokens_per_s_of_a_user},
        {"gpt-oss-120B", 476, check, 0.05, model("gpt-oss-120b"), tokens_per_s_of_a_user}}},
      {"Decode on a wafer", "WaferLLM, OSDI 2025; the speed of Qwen2-72B from its abstract, region not stated, the default one here",
       "scenarios/library/validation/waferllm.yaml", "tokens/s",
       {{"Llama-3-8B, 420 x 420 cores", 2699.9, calibration, 0.005, region(420), tokens_per_s_of_a_user},
        {"Llama-3-8B, 540 x 540", 2501.5, calibration, 0.005, region(540), tokens_per_s_of_a_user},
        {"Llama-3-8B, 660 x 660", 2243.3, calibration, 0.005, region(660), tokens_per_s_of_a_user},
        {"Qwen2-72B on four wafers", 840, check, 0.12,
         {{"deployment.chat.model", "qwen2.5-72b"}, {"deployment.chat.on", "wafer"}, {"deployment.chat.dataflow", "{devices: 4}"}}, tokens_per_s_of_a_user},
        {"Llama-3-8B, 2048 in, 128 out", 764.4, check, 0.06, request(2048, 128), tokens_per_s},
        {"Llama-3-8B, 4096 in, 128 out", 604.4, check, 0.06, request(4096, 128), tokens_per_s},
        {"Llama-3-8B, 2048 in, 2048 out", 2370.3, check, 0.01, request(2048, 2048), tokens_per_s},
        {"Llama-3-8B, 4096 in, 4096 out", 2459, check, 0.02, request(4096, 4096), tokens_per_s}}},
      {"Prompts of 4,096 tokens on one region of a wafer", "WaferLLM, OSDI 2025, Llama-3-8B", "scenarios/library/validation/waferllm.yaml", "tokens/s",
       {{"480 x 480 cores", 20320.6, calibration, 0.005, prompt_region(480), prompt_of_4096_tokens_per_s},
        {"600 x 600", 25037.2, check, 0.01, prompt_region(600), prompt_of_4096_tokens_per_s},
        {"720 x 720", 27686.5, calibration, 0.005, prompt_region(720), prompt_of_4096_tokens_per_s}}},
      {"Speed of one user on WSE-3", "Artificial Analysis, September 2024: Cerebras, 16 bits; one wafer, and four", "scenarios/library/validation/wse3.yaml", "tokens/s",
       {{"Llama-3.1-8B", 1837, calibration, 0.005, {}, tokens_per_s_of_a_user},
        {"Llama-3.1-70B", 445, check, 0.29, on_all("llama-3.1-70b", "wafer"), tokens_per_s_of_a_user}}},
      {"Sixty users on Corsair", "d-Matrix: 60,000 tokens/s at 1 ms a token on eight cards, 30,000 at 2 ms on 64; claims, not measurements",
       "scenarios/library/validation/corsair.yaml", "tokens/s of all users",
       {{"Llama-3-8B, eight cards", 60'000, calibration, 0.01, {}, tokens_per_s_of_all},
        {"Llama-3-70B, 64 cards", 30'000, check, 0.48, on_all("llama-3-70b-int8", "card"), tokens_per_s_of_all}}},
      {"Batches on eight SN40L", "LLM-Inference-Bench (Argonne), 1,024 tokens in and out; its rates count both", "scenarios/library/validation/sn40l.yaml",
       "output tokens/s",
       {{"Llama-3-8B, batch 1", 646.5, check, 0.07, batch("llama-3-8b", 1), tokens_per_s},
        {"Llama-3-8B, batch 16", 4625, calibration, 0.01, batch("llama-3-8b", 16), tokens_per_s},
        {"Llama-3-8B, batch 32", 5669.5, check, 0.05, batch("llama-3-8b", 32), tokens_per_s},
        {"Llama-3-70B, batch 1", 86, check, 0.15, batch("llama-3-70b", 1), tokens_per_s},
        {"Llama-3-70B, batch 16", 919.5, check, 0.11, batch("llama-3-70b", 16), tokens_per_s}}},
      {"DeepSeek-V3 decode with experts over many nodes",
       "SGLang on 96 H100 (256 sequences of 2,000 tokens a GPU), DeepSeek's profile (128 of 4,096, H800); without turns what SGLang's gain of 25.5 % leaves. "
       "Two batches in turn hide here whatever they could, with experts chosen evenly and no host time: an upper bound of both deployments",
       "scenarios/library/validation/deepseek_ep_decode.yaml", "tokens/s a node",
       {{"SGLang, EP72", 22'282, check, 0.32, {}, decode_of_nine_nodes},
        {"without turns", 17'755, check, 0.145, {{"deployment.tokens.communication.experts", "none"}}, decode_of_nine_nodes},
        {"DeepSeek profile, EP128", 18'598, check, 0.03, deepseek_profile(), decode_of_sixteen_nodes}}},
      {"DeepSeek-V3 prefill with experts over four nodes",
       "SGLang on 96 H100, and with experts that it made be chosen evenly, as they are here: how unevenly they were otherwise costs it 15 %; DeepSeek's "
       "profile on H800; without turns what SGLang's gain of 27 to 35 % leaves, 31 % here. Two batches in turn hide whatever they could; kernels that "
       "quantize activations and lay out the heads' keys, and the host, are not modelled",
       "scenarios/library/validation/deepseek_ep_prefill.yaml", "prompt tokens/s a node",
       {{"prompts of 1K", 57'674, check, 0.39, prompts(1024), prefill_of_four_nodes},
        {"2K", 54'543, check, 0.43, prompts(2048), prefill_of_four_nodes},
        {"4K", 50'302, check, 0.435, prompts(4096), prefill_of_four_nodes},
        {"4K, chosen evenly", 59'337, check, 0.22, prompts(4096), prefill_of_four_nodes},
        {"DeepSeek profile, 4K", 62'713, check, 0.15, prompts_on_h800(4096), prefill_of_four_nodes},
        {"1K without turns", 44'026, check, 0.14, without_turns(prompts(1024)), prefill_of_four_nodes}}},
      {"Step-3 with attention and experts apart",
       "arXiv 2507.19427, peak decode on H800, two nodes of experts. With bf16 attention the KV is taken in fp8: in bf16 it would not fit",
       "scenarios/library/validation/step3_afd.yaml", "tokens/s a GPU",
       {{"fp8, two attention nodes, 4K", 4039, check, 0.15, attention_nodes(2, {}), decode_of_gpus<32>},
        {"fp8, four attention nodes, 8K", 2643, check, 0.105, attention_nodes(4, {{"workload.generator.input_tokens", "8160"}}), decode_of_gpus<48>},
        {"bf16 attention, three attention nodes, 4K", 3321, check, 0.175,
         attention_nodes(3, {{"workload.requests", "6048"},
                             {"models.m.weights", "{attention: bf16, attention_output: bf16, feed_forward: fp8, experts: fp8}"}}),
         decode_of_gpus<40>}}},
      {"LIMINAL, Llama-3.1-405B for one user", "arXiv 2507.14397; a closed form, whose synchronisation of 4.5 us a layer is inverted from its rows",
       "scenarios/library/validation/liminal.yaml", "tokens/s",
       {{"8 chips, 4K", 86, check, 0.012, chips(8, 4096, "0 s"), tokens_per_s_of_a_user},
        {"8 chips, 128K", 80, check, 0.012, chips(8, 131'000, "0 s"), tokens_per_s_of_a_user},
        {"32 chips, 4K", 290, check, 0.005, chips(32, 4096, "2.25 us"), tokens_per_s_of_a_user},
        {"32 chips, 128K", 271, check, 0.005, chips(32, 131'000, "2.25 us"), tokens_per_s_of_a_user},
        {"128 chips, 4K", 776, check, 0.005, chips(128, 4096, "2.25 us"), tokens_per_s_of_a_user},
        {"128 chips, 128K", 743, check, 0.005, chips(128, 131'000, "2.25 us"), tokens_per_s_of_a_user}}}};
  return tables;
}

double simulated(const PublishedTable& table, const PublishedRow& row) {
  return row.figure(run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/" + table.scenario, row.settings).summary);
}

std::string published_section() {
  std::string page =
      "\n# Simulated against published\n\n"
      "Figures of others that nobody here measured. Rows that a figure of the device was fitted to are no checks.\n";
  for (const PublishedTable& table : published_tables()) {
    page += fmt::format("\n## {}\n\n`{}`. Source: {}.\n\n| row | used for | published, {} | simulated | error |\n|---|---|---:|---:|---:|\n", table.title,
                        table.scenario, table.source, table.unit);
    for (const PublishedRow& row : table.rows) {
      const double is = simulated(table, row);
      page += fmt::format("| {} | {} | {:.1f} | {:.1f} | {:+.1f} % |\n", row.name, row.use == RowUse::calibration ? "calibration" : "check",
                          row.published, is, (is / row.published - 1) * 100);
    }
  }
  return page;
}

}  // namespace rackwright::test
