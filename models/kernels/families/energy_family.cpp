#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/kernels/families/decode_operation.h"
#include "models/kernels/families/families.h"
#include "models/kernels/families/gemm_operation.h"
#include "models/kernels/families/layer_operation.h"
#include "models/kernels/families/prefill_operation.h"
#include "models/kernels/families/step_operation.h"
#include "models/kernels/measure/graph.h"
#include "models/kernels/measure/pause.h"
#include "models/kernels/measure/power_load.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr double warm_up_s = 0.25;
constexpr double window_s = 1.0;
constexpr double burst_us = 8000;  ///< Near one engine step, so that the host needs to look only now and then.

/// One operation kept running, and what one call of it does at least.
struct Load {
  std::string family;
  std::string what;
  double flops = 0;
  double bytes = 0;
};

class EnergyTable {
 public:
  EnergyTable(ProfileSession& session, ProfileTable& table) : session_(session), table_(table) {}

  /// Runs calls of the operation for `duty` of the time and rests in between, on the device.
  void measure(const Load& load, double duty, const std::function<std::unique_ptr<Operation>()>& make) {
    const ArenaScope scope(session_.arena);
    try {
      const auto operation = make();
      const double once_us = session_.bench.quick_us(*operation);
      const int calls = std::max(1, static_cast<int>(std::lround(duty * burst_us / once_us)));
      const double rest_us = duty < 1 ? calls * once_us * (1 / duty - 1) : 0;
      const cudaStream_t stream = session_.bench.stream();
      operation->refresh(session_.bench.next_seed(), stream);
      const auto enqueue = [&] {
        for (int i = 0; i < calls; ++i) operation->launch(i % operation->slots(), stream);
        if (rest_us > 0) device_pause(rest_us, stream);
      };
      // Two graphs in turn: launching one that still runs would make its next run wait.
      const Graph graphs[] = {Graph(stream, enqueue), Graph(stream, enqueue)};
      int turn = 0;
      const PowerReading power = read_power(session_.nvml, session_.facts.sms, stream, warm_up_s, window_s, [&] { graphs[turn++ % 2].launch(stream); });
      const double rate = calls / power.s_per_burst;
      const double busy_us = (power.s_per_burst * 1e6 - rest_us) / calls;
      add(load, duty, power, power.bursts_in_window * calls, busy_us, busy_us * 1e-6 * rate, load.flops * rate, load.bytes * rate);
    } catch (const DeviceError& error) {
      std::string reason = error.what();
      std::replace(reason.begin(), reason.end(), ',', ';');
      std::vector<std::string> row{load.family, load.what, number(duty)};
      row.insert(row.end(), 11, "");
      row.push_back(reason);
      table_.add_raw(row);
    }
  }

  void add(const Load& load, double duty, const PowerReading& power, double calls, double us_per_call, double busy, double flop_rate, double byte_rate) {
    table_.add_raw({load.family, load.what, number(duty), fmt::format("{:.0f}", power.sm_mhz), fmt::format("{:.0f}", power.driver_mhz), number(power.mean_w), number(power.energy_j),
                    number(power.window_s), number(calls), number(us_per_call), number(busy), number(flop_rate / session_.facts.tensor_peak_flops),
                    number(byte_rate / session_.facts.memory_peak_bytes_per_s), fmt::format("{}", power.temperature_c), ""});
  }

 private:
  ProfileSession& session_;
  ProfileTable& table_;
};

Load gemm_load(const GemmCase& c) {
  const double m = c.m, n = c.n, k = c.k, e = bytes_of(c.type);
  return {"gemm", fmt::format("{} m={} n={} k={}", name_of(c.type), c.m, c.n, c.k), 2 * m * n * k, e * (m * k + n * k) + 2 * m * n};
}

void gemm_energy(ProfileSession& session, EnergyTable& table) {
  const Shard shard{llama_8b(), 1};
  const auto weight = shard.gate_up();
  std::vector<std::pair<GemmCase, double>> cases;
  for (int m : {1, 16, 64, 128, 256, 512, 1024, 2048, 8192}) cases.push_back({{OperandType::bf16, m, weight.n, weight.k}, 1.0});
  for (double duty : {0.25, 0.5, 0.75}) cases.push_back({{OperandType::bf16, 2048, weight.n, weight.k}, duty});
  for (int m : {64, 2048, 8192}) cases.push_back({{OperandType::fp8_e4m3, m, weight.n, weight.k}, 1.0});
  for (const auto& [c, duty] : thinned(cases, session.every))
    table.measure(gemm_load(c), duty, [&, shape = c] { return std::make_unique<GemmOperation>(session.arena, session.blas_lt, session.bench.accuracy(), shape); });
}

void attention_energy(ProfileSession& session, EnergyTable& table) {
  const HeadShape heads{32, 8};
  {
    const ArenaScope scope(session.arena);
    const std::size_t count = std::size_t{8} << 30;
    auto* elements = session.arena.take<__nv_bfloat16>(count);
    fill_normal(elements, count, 1, session.bench.next_seed(), session.bench.stream());
    const KvPool pool{elements, count};
    const DecodeCase cases[] = {{heads, 8, 1024}, {heads, 32, 1024}, {heads, 80, 1024}, {heads, 80, 4096}};
    for (const auto& c : thinned(std::vector<DecodeCase>(std::begin(cases), std::end(cases)), session.every))
      table.measure({"attention_decode", fmt::format("q_heads={} kv_heads={} batch={} context={}", heads.q_heads, heads.kv_heads, c.batch, c.context),
                     4.0 * heads.q_heads * heads.head_dim * c.batch * c.context, static_cast<double>(c.kv_bytes())},
                    1.0, [&] { return std::make_unique<DecodeOperation>(session.arena, session.bench.accuracy(), pool, c, session.seed); });
  }
  const PrefillCase cases[] = {{heads, 1, 512, 0}, {heads, 1, 2048, 0}, {heads, 1, 2048, 8192}};
  for (const auto& c : thinned(std::vector<PrefillCase>(std::begin(cases), std::end(cases)), session.every)) {
    const double n = c.new_tokens;
    table.measure({"attention_prefill", fmt::format("q_heads={} kv_heads={} new_tokens={} past_tokens={}", heads.q_heads, heads.kv_heads, c.new_tokens, c.past_tokens),
                   4.0 * heads.q_heads * heads.head_dim * (n * c.past_tokens + n * (n + 1) / 2), 4.0 * heads.kv_heads * heads.head_dim * static_cast<double>(c.kv_tokens())},
                  1.0, [&] { return std::make_unique<PrefillOperation>(session.arena, session.bench.accuracy(), c, nullptr); });
  }
}

void layer_energy(ProfileSession& session, EnergyTable& table) {
  struct {
    LayerCase shape;
    double bytes_per_element;
  } const cases[] = {{{LayerOp::residual_rmsnorm, 8192, 4096}, 8}, {{LayerOp::silu_mul, 8192, 14336}, 6}, {{LayerOp::read, 262144, 4096}, 2}, {{LayerOp::copy, 262144, 4096}, 4}};
  for (const auto& c : cases) {
    const double bytes = c.bytes_per_element * c.shape.tokens * c.shape.width;
    table.measure({"layer", fmt::format("op={} tokens={} width={}", name_of(c.shape.op), c.shape.tokens, c.shape.width), 0, bytes}, 1.0,
                  [&] { return make_layer_operation(session.arena, session.bench.accuracy(), c.shape); });
  }
}

void step_energy(ProfileSession& session, EnergyTable& table) {
  for (const auto& c : thinned(step_power_cases(), session.every))
    table.measure({"step", fmt::format("model={} decode={} context={} prefill={} past={} layers={}", c.model_name(), c.decode, c.context, c.prefill, c.past, c.layers), c.flops(), c.bytes()},
                  1.0, [&] { return std::make_unique<StepOperation>(session.arena, session.blas_lt, session.bench.accuracy(), c, session.seed, session.bench.stream()); });
}

/// Tensor work and memory streaming one after the other in stated shares of time, with rests: what a
/// power model over the two utilizations is fitted to.
class MixOperation : public Operation {
 public:
  MixOperation(Operation& tensor, int tensor_calls, Operation& memory, int memory_calls, double rest_us)
      : tensor_(tensor), memory_(memory), tensor_calls_(tensor_calls), memory_calls_(memory_calls), rest_us_(rest_us) {}
  int slots() const override { return 1; }
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    tensor_.refresh(seed, stream);
    memory_.refresh(seed, stream);
  }
  void launch(int, cudaStream_t stream) override {
    for (int i = 0; i < tensor_calls_; ++i) tensor_.launch(i % tensor_.slots(), stream);
    for (int i = 0; i < memory_calls_; ++i) memory_.launch(0, stream);
    if (rest_us_ > 0) device_pause(rest_us_, stream);
  }
  double error(int, cudaStream_t) override { return 0; }

 private:
  Operation& tensor_;
  Operation& memory_;
  int tensor_calls_, memory_calls_;
  double rest_us_;
};

void mix_energy(ProfileSession& session, EnergyTable& table) {
  const ArenaScope scope(session.arena);
  const GemmCase product{OperandType::bf16, 2048, 8192, 8192};
  const LayerCase stream{LayerOp::read, 131072, 4096};
  GemmOperation tensor(session.arena, session.blas_lt, session.bench.accuracy(), product);
  const auto memory = make_layer_operation(session.arena, session.bench.accuracy(), stream);
  const double tensor_us = session.bench.quick_us(tensor);
  const double memory_us = session.bench.quick_us(*memory);
  constexpr double period_us = 4000;
  for (int tensor_share = 0; tensor_share <= 100; tensor_share += 25)
    for (int memory_share = 0; tensor_share + memory_share <= 100; memory_share += 25) {
      if (session.every > 1 && (tensor_share + memory_share) % 100 != 0) continue;
      const int tensor_calls = static_cast<int>(std::lround(tensor_share / 100.0 * period_us / tensor_us));
      const int memory_calls = static_cast<int>(std::lround(memory_share / 100.0 * period_us / memory_us));
      const double rest_us = (100 - tensor_share - memory_share) / 100.0 * period_us;
      const Load load = {"mix", fmt::format("tensor={}% memory={}% rest={}%", tensor_share, memory_share, 100 - tensor_share - memory_share),
                         tensor_calls * gemm_load(product).flops,
                         tensor_calls * gemm_load(product).bytes + memory_calls * 2.0 * stream.tokens * stream.width};
      table.measure(load, 1.0, [&] { return std::make_unique<MixOperation>(tensor, tensor_calls, *memory, memory_calls, rest_us); });
    }
}

/// Steps as a server interleaves them: one prompt chunk, then `decodes` steps of 48 sequences.
void interleaved_energy(ProfileSession& session, EnergyTable& table) {
  const ArenaScope scope(session.arena);
  const StepCase prompt{{llama_8b(), 1}, 32, 0, 0, 1024, 0}, decode{{llama_8b(), 1}, 32, 48, 1024, 0, 0};
  const auto step = [&](const StepCase& c) {
    return StepOperation(session.arena, session.blas_lt, session.bench.accuracy(), c, session.seed, session.bench.stream());
  };
  StepOperation first = step(prompt), then = step(decode);
  for (int decodes : thinned(std::vector<int>{1, 2, 4, 8, 16}, session.every))
    table.measure({"interleaved", fmt::format("model={} prefill=1024 steps=1 decode=48 context=1024 steps={}", prompt.model_name(), decodes),
                   prompt.flops() + decodes * decode.flops(), prompt.bytes() + decodes * decode.bytes()},
                  1.0, [&] { return std::make_unique<MixOperation>(first, 1, then, decodes, 0); });
}

}  // namespace

void measure_energy(ProfileSession& session, std::vector<ProfileTable>& tables) {
  auto& table = tables.emplace_back(ProfileTable::untimed(
      "energy", {"class", "case", "duty", "sm_mhz", "driver_mhz", "mean_w", "energy_j", "window_s", "calls", "us_per_call", "busy", "tensor_util", "hbm_util", "temperature_c", "skip"}));
  EnergyTable energy(session, table);
  check(cudaDeviceSynchronize());
  energy.add({"idle", "context", 0, 0}, 0, read_idle_power(session.nvml, 2 * window_s), 0, 0, 0, 0, 0);
  layer_energy(session, energy);
  attention_energy(session, energy);
  gemm_energy(session, energy);
  step_energy(session, energy);
  interleaved_energy(session, energy);
  mix_energy(session, energy);
}

}  // namespace rackwright::kernels
