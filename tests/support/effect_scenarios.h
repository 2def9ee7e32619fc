#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

/// Scenarios in which nearly every parameter matters: memory is short, queues form, and everything is used.
namespace rackwright::test {

/// Two small pools under load: queues, preemptions, and memory that is short.
inline constexpr const char* generated =
    "schema: rackwright/v1\n"
    "workload:\n"
    "  generator: {arrivals: {process: gamma, cv: 2}, input_tokens: {quantiles: {p0: 20, p50: 700, p100: 3000}}, output_tokens: {quantiles: {p0: 2, p50: 60, p100: 200}}}\n"
    "  rate: 60 /s\n"
    "  requests: 120\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "deployment:\n"
    "  - {pool: chat, model: llama-3.1-8b, on: \"a[0..1]\", scheduler: {max_sequences: 12}, kv_cache: {blocks: 700}}\n"
    "  - {pool: other, model: llama-3.1-8b, on: \"a[2]\", scheduler: {max_sequences: 12}, kv_cache: {blocks: 700}}\n"
    "slo: {ttft_p99: 200 ms, e2e_p99: 5 s}\n";

/// Tasks of agents, whose tools are short of workers.
inline constexpr const char* agents =
    "schema: rackwright/v1\n"
    "workload:\n"
    "  generator: {input_tokens: 200, output_tokens: 20, chain: {calls: {quantiles: {p0: 1, p100: 6}}, tool_tokens: 50, tools: {shell: 2, build: 1}}}\n"
    "  rate: 20 /s\n"
    "  requests: 40\n"
    "  tools:\n"
    "    shell: {station: cpu, time: 300 ms}\n"
    "    build: {station: cpu, cores: 4, memory: 200 GB, time: 700 ms}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}, {name: cpu, rack: {preset: cpu-64-epyc-9965, nodes: 1}}]}\n"
    "stations: [{station: cpu, on: \"cpu[0]\", workers: 8, memory: 500 GB}]\n"
    "deployment: [{pool: chat, model: llama-3.1-8b, on: \"a[0]\"}]\n";

/// Spoken turns, whose stages are short of workers.
inline constexpr const char* spoken =
    "schema: rackwright/v1\n"
    "workload:\n"
    "  generator: {input_tokens: 200, output_tokens: 60}\n"
    "  rate: 20 /s\n"
    "  requests: 40\n"
    "  voice:\n"
    "    speech_to_text: {station: ears, latency: 100 ms, real_time_factor: 0.1, speech: 3 s}\n"
    "    text_to_speech: {station: mouths, latency: 80 ms}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "stations: [{station: ears, on: \"a[1]\", workers: 4}, {station: mouths, on: \"a[2]\", workers: 4}]\n"
    "deployment: [{pool: chat, model: llama-3.1-8b, on: \"a[0]\"}]\n";

/// Two classes of requests, mixed by the generator.
inline constexpr const char* mixed =
    "schema: rackwright/v1\n"
    "workload: {generator: {classes: {x: {share: 1, input_tokens: 900, output_tokens: 30}, y: {share: 1, input_tokens: 90, output_tokens: 60}}}, rate: 60 /s, requests: 60}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "deployment: [{pool: chat, model: llama-3.1-8b, on: \"a[0]\"}]\n";

/// KV from node to node over rails that are short of bandwidth, and tensor groups over two nodes that meet it.
inline constexpr const char* over_rails =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: {quantiles: {p0: 500, p100: 6000}}, output_tokens: 12}, rate: 60 /s, requests: 60}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air, count: 8}]}\n"
    "fabric: {scale_out: {rails: 8, link: 25 Gb/s, hosts_per_pod: 2, oversubscription: 2}}\n"
    "deployment:\n"
    "  - {pool: prompts, role: prefill, model: llama-3.1-8b, on: \"a[8..31]\", tensor_parallel: 8}\n"
    "  - {pool: tokens, role: decode, model: llama-3.1-8b, on: \"a[32..63]\", tensor_parallel: 32}\n";

/// KV from node to node over cables that two groups of racks have for each other.
inline constexpr const char* over_join =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 3000, output_tokens: 12}, rate: 60 /s, requests: 60}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}, {name: b, rack: hgx-h200-air}]}\n"
    "fabric: {join: [{from: a, to: b, links: 2, link: 100 Gb/s}]}\n"
    "deployment:\n"
    "  - {pool: prompts, role: prefill, model: llama-3.1-8b, on: \"a[0..3]\"}\n"
    "  - {pool: tokens, role: decode, model: llama-3.1-8b, on: \"b[0..3]\"}\n";

/// KV between devices of one node by threads that store it into their peers.
inline constexpr const char* by_stores =
    "schema: rackwright/v1\n"
    "workload: {generator: {input_tokens: 3000, output_tokens: 12}, rate: 60 /s, requests: 60}\n"
    "facility: {racks: [{name: a, rack: hgx-h200-air}]}\n"
    "fabric: {mechanisms: {sm_stores: {start_up: 1 us, efficiency: 5 %, sms: 8}}}\n"
    "deployment:\n"
    "  - {pool: prompts, role: prefill, model: llama-3.1-8b, on: \"a[0..3]\"}\n"
    "  - {pool: tokens, role: decode, model: llama-3.1-8b, on: \"a[4..7]\", kv_transfer: {mechanism: sm-stores}}\n";

/// A log with classes, observed times and more than one model, read by a mapping of columns.
inline std::string logged(const TemporaryFolder& folder) {
  std::ofstream log(folder.path() / "log.csv");
  log << "at,in,out,kind,model,chat,id,up,pause,hidden,alpha,spoke,tool,took\n";
  for (int i = 0; i < 90; ++i)
    log << fmt::format("{},{},{},{},{},{},r{},{},{},{},{},{},{},{}\n", 100 + 3 * (i / 6), 200 + 371 * i % 2500, 2 + 17 * i % 90, i % 3 == 0 ? "voice" : "batch", i % 2 == 0 ? "x" : "y", i % 7, i,
                       i % 3 == 2 ? fmt::format("r{}", i - 2) : "", 1 + i % 2, i % 4, 0.1 * (i % 9), 2 + i % 5, i % 2 == 0 ? "build" : "shell", 1 + i % 3);
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload:\n"
      "  trace: {{file: {}, format: columns, columns: {{arrival: at, time_unit: s, input_tokens: in, output_tokens: out, class: kind}}}}\n"
      "  classes: {{voice: {{priority: 1}}}}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: chat, model: llama-3.1-8b, on: \"a[0]\", scheduler: {{max_sequences: 2, order: priority}}}}\n"
      "slo: {{ttft_p99: 200 ms}}\n",
      (folder.path() / "log.csv").string());
}

/// Prompts of 512-token blocks that recur, in a cache that does not hold them, with a tier below it.
inline std::string recurring(const TemporaryFolder& folder) {
  std::ofstream log(folder.path() / "mooncake.jsonl");
  for (int i = 0; i < 120; ++i) {
    std::string ids;
    for (int j = 0; j < 6; ++j) ids += fmt::format("{}{}", j == 0 ? "" : ", ", 100 * (i * 7 % 11) + (j < 4 ? j : 10 * i + j));
    log << fmt::format("{{\"timestamp\": {}, \"input_length\": {}, \"output_length\": {}, \"hash_ids\": [{}]}}\n", 60 * i, 6 * 512, 5 + 13 * i % 40, ids);
  }
  return fmt::format(
      "schema: rackwright/v1\n"
      "workload: {{trace: {}}}\n"
      "facility: {{racks: [{{name: a, rack: hgx-h200-air}}]}}\n"
      "deployment:\n"
      "  - {{pool: chat, model: llama-3.1-8b, on: \"a[0..1]\", scheduler: {{max_sequences: 6}}, kv_cache: {{blocks: 450, tiers: [{{tier: host, capacity: 2 GB, bandwidth: 2 GB/s}}]}}}}\n"
      "routing: prefix-aware\n"
      "slo: {{ttft_p99: 200 ms}}\n",
      (folder.path() / "mooncake.jsonl").string());
}

/// Experts over two nodes, which a table counts.
inline std::string spread_experts(const TemporaryFolder& folder) {
  std::ofstream counts(folder.path() / "experts.csv");
  counts << "layer,expert,tokens\n";
  for (int i = 0; i < 128; ++i) counts << fmt::format("0,{},{}\n", i, 1 + i);
  return
      "schema: rackwright/v1\n"
      "workload: {generator: {input_tokens: 300, output_tokens: {quantiles: {p0: 2, p100: 40}}}, rate: 400 /s, requests: 60}\n"
      "facility: {racks: [{name: a, rack: {preset: hgx-h200-air, nodes: 2}}]}\n"
      "deployment:\n"
      "  - {pool: chat, model: qwen3-30b-a3b, on: \"a[0..15]\", data_parallel: 16, scheduler: {max_sequences: 64, token_budget: 512}}\n";
}

}  // namespace rackwright::test
