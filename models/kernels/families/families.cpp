#include "models/kernels/families/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/kernels/families/decode_operation.h"
#include "models/kernels/families/gemm_operation.h"
#include "models/kernels/families/grouped_gemm_operation.h"
#include "models/kernels/families/layer_operation.h"
#include "models/kernels/families/mla_operation.h"
#include "models/kernels/families/prefill_operation.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

/// Off-grid shapes of each family.
constexpr int check_points = 120;

std::string text(int value) { return fmt::format("{}", value); }

void time_gemms(ProfileSession& session, ProfileTable& table, const std::vector<GemmCase>& cases, Mode mode) {
  for (const auto& c : thinned(cases, session.every))
    time_case(session, table, {"cublaslt", name_of(c.type), text(c.m), text(c.n), text(c.k)}, mode,
              [&] { return std::make_unique<GemmOperation>(session.arena, session.blas_lt, session.bench.accuracy(), c); });
}

void time_prefills(ProfileSession& session, ProfileTable& table, const std::vector<PrefillCase>& cases, const std::string& impl) {
  for (const auto& c : thinned(cases, session.every)) {
    std::unique_ptr<CudnnAttention> library;
    time_case(session, table,
              {impl, text(c.heads.q_heads), text(c.heads.kv_heads), text(c.heads.head_dim), text(c.sequences), text(c.new_tokens), text(c.past_tokens)},
              Mode::graph, [&] {
                if (impl == "cudnn") library = std::make_unique<CudnnAttention>(session.cudnn, c);
                return std::make_unique<PrefillOperation>(session.arena, session.bench.accuracy(), c, library.get());
              });
  }
}

/// The share of device memory that KV pages may take.
KvPool fill_pool(ProfileSession& session) {
  constexpr double kv_share = 0.6;
  const auto count = static_cast<std::size_t>(kv_share * static_cast<double>(session.facts.memory_bytes)) / 2 / 1024 * 1024;
  auto* elements = session.arena.take<__nv_bfloat16>(count);
  fill_normal(elements, count, 1, session.bench.next_seed(), session.bench.stream());
  return {elements, count};
}

void time_decodes(ProfileSession& session, ProfileTable& table, const KvPool& pool, const std::vector<DecodeCase>& cases) {
  for (const auto& c : thinned(cases, session.every)) {
    const auto lengths = c.contexts(session.seed);
    const int longest = *std::max_element(lengths.begin(), lengths.end());
    time_case(session, table,
              {"split256", text(c.heads.q_heads), text(c.heads.kv_heads), text(c.heads.head_dim), text(c.batch), text(c.context), text(longest), name_of(c.lengths)},
              Mode::graph, [&] { return std::make_unique<DecodeOperation>(session.arena, session.bench.accuracy(), pool, c, session.seed); });
  }
}

void time_layers(ProfileSession& session, ProfileTable& table, const std::vector<LayerCase>& cases, Mode mode) {
  for (const auto& c : thinned(cases, session.every))
    time_case(session, table, {name_of(c.op), text(c.tokens), text(c.width)}, mode,
              [&] { return make_layer_operation(session.arena, session.bench.accuracy(), c); });
}

}  // namespace

void measure_gemm(ProfileSession& session, std::vector<ProfileTable>& tables) {
  const std::vector<std::string> columns{"impl", "type", "m", "n", "k"};
  auto& grid = tables.emplace_back("gemm", columns);
  time_gemms(session, grid, gemm_grid(), Mode::graph);
  // Eager launches of one layer's products, where the host may be the bound.
  std::vector<GemmCase> eager;
  const Shard shard{llama_8b(), 1};
  for (const auto& weight : {shard.qkv(), shard.attention_out(), shard.gate_up(), shard.down()})
    for (int m : {1, 16, 64, 256}) eager.push_back({OperandType::bf16, m, weight.n, weight.k});
  time_gemms(session, grid, eager, Mode::eager);
  auto& check = tables.emplace_back("gemm.check", columns);
  time_gemms(session, check, gemm_off_grid(session.seed, check_points), Mode::graph);
}

void measure_grouped_gemm(ProfileSession& session, std::vector<ProfileTable>& tables) {
  auto& table = tables.emplace_back("grouped_gemm", std::vector<std::string>{"impl", "type", "experts", "active", "rows", "largest", "routing", "n", "k"});
  for (const auto& c : thinned(grouped_gemm_grid(), session.every)) {
    const auto rows = c.rows_per_expert();
    const auto active = std::count_if(rows.begin(), rows.end(), [](int r) { return r > 0; });
    const int largest = *std::max_element(rows.begin(), rows.end());
    time_case(session, table,
              {"cublas", "bf16", text(c.experts), text(static_cast<int>(active)), text(c.rows), text(largest), c.zipf ? "zipf" : "even", text(c.n), text(c.k)},
              Mode::graph, [&] { return std::make_unique<GroupedGemmOperation>(session.arena, session.blas, session.bench.accuracy(), c); });
  }
}

void measure_prefill(ProfileSession& session, std::vector<ProfileTable>& tables) {
  const std::vector<std::string> columns{"impl", "q_heads", "kv_heads", "head_dim", "sequences", "new_tokens", "past_tokens"};
  auto& grid = tables.emplace_back("attention_prefill", columns);
  time_prefills(session, grid, prefill_grid(), "mma");
  // cuDNN compiles each shape for hundreds of milliseconds: a tenth of the grid shows what it gains.
  time_prefills(session, grid, thinned(prefill_grid(), 10), "cudnn");
  auto& check = tables.emplace_back("attention_prefill.check", columns);
  time_prefills(session, check, prefill_off_grid(session.seed, check_points), "mma");
}

void measure_decode(ProfileSession& session, std::vector<ProfileTable>& tables) {
  const std::vector<std::string> columns{"impl", "q_heads", "kv_heads", "head_dim", "batch", "context_mean", "context_max", "lengths"};
  const ArenaScope scope(session.arena);
  const KvPool pool = fill_pool(session);
  auto& grid = tables.emplace_back("attention_decode", columns);
  time_decodes(session, grid, pool, decode_grid());
  auto& check = tables.emplace_back("attention_decode.check", columns);
  time_decodes(session, check, pool, decode_off_grid(session.seed, check_points));
}

void measure_mla(ProfileSession& session, std::vector<ProfileTable>& tables) {
  const ArenaScope scope(session.arena);
  const KvPool pool = fill_pool(session);
  auto& table = tables.emplace_back("mla_decode", std::vector<std::string>{"impl", "heads", "latent", "rope", "batch", "context_mean", "context_max", "lengths"});
  for (const auto& c : thinned(mla_grid(), session.every))
    time_case(session, table, {"mma", text(c.heads), text(c.latent), text(c.rope), text(c.batch), text(c.context), text(c.context), "even"},
              Mode::graph, [&] { return std::make_unique<MlaOperation>(session.arena, session.bench.accuracy(), pool, c, session.facts.sms); });
}

void measure_layer(ProfileSession& session, std::vector<ProfileTable>& tables) {
  const std::vector<std::string> columns{"op", "tokens", "width"};
  auto& grid = tables.emplace_back("layer", columns);
  time_layers(session, grid, layer_grid(), Mode::graph);
  time_layers(session, grid, thinned(layer_grid(), 12), Mode::eager);
  auto& check = tables.emplace_back("layer.check", columns);
  time_layers(session, check, layer_off_grid(session.seed, check_points), Mode::graph);
}

std::vector<Family> one_gpu_families() {
  return {{"launch", measure_launch},   {"host_copy", measure_host_copy}, {"layer", measure_layer},
          {"gemm", measure_gemm},       {"decode", measure_decode},       {"prefill", measure_prefill},
          {"grouped", measure_grouped_gemm}, {"mla", measure_mla},        {"step", measure_step},
          {"energy", measure_energy},   {"throttle", measure_throttle}};
}

}  // namespace rackwright::kernels
