#include "tests/support/vidur_oracle.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <string>

#include "sim/policies/round_robin_router.h"
#include "sim/policies/sarathi_policy.h"
#include "tests/support/gzip_text.h"

namespace rackwright::test {
namespace {

constexpr int layers = 28;
constexpr std::int64_t context_step = 64;

/// Calls `row` with the numbers of each line after the header.
void read_csv(const std::filesystem::path& path, const std::function<void(const std::vector<double>&)>& row) {
  const std::string text = gzip_text(path);
  std::vector<double> values;
  const char* at = text.data() + text.find('\n') + 1;
  const char* const end = text.data() + text.size();
  while (at < end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) throw std::runtime_error("not a number in " + path.string());
    values.push_back(value);
    at = stop + 1;
    if (stop == end || *stop == '\n') {
      row(values);
      values.clear();
    }
  }
}

/// Batch time = 28 · (sum of the operators' milliseconds). Decode attention is looked up at (sequences, mean context
/// rounded down, then up to 64) and prefill attention at (sum of contexts each rounded up to 64, √Σ chunk²), both × 1.1 for more
/// than one sequence. The mean context of a stretch therefore stays in its row for a known number of steps.
class VidurCostModel final : public cost::StepCostModel {
 public:
  explicit VidurCostModel(const std::filesystem::path& folder) {
    read_csv(folder / "ops_ms.csv", [this](const std::vector<double>& v) {
      // tokens, pre_proj, post_proj, mlp_up, mlp_down, mlp_act, rope, cache_save, input_norm, post_norm, add
      dense_.push_back(v[1] + v[2] + v[6] + v[8] + v[3] + v[4] + v[5] + v[9] + v[10]);
      save_.push_back(v[7]);
    });
    read_csv(folder / "attn_decode_ms.csv", [this](const std::vector<double>& v) { decode_.push_back(v[2]); });
    read_csv(folder / "attn_prefill_ms.csv.gz", [this](const std::vector<double>& v) { prefill_.push_back(v[2]); });
  }

  cost::StepCost price(const cost::StepShape& step, const cost::OperatingPoint&) const override {
    std::int64_t tokens = step.decode_sequences;
    std::int64_t prefill_context = 0;
    double chunk_squares = 0;
    for (const cost::PrefillChunk& chunk : step.prefill) {
      tokens += chunk.new_tokens;
      prefill_context += (chunk.past_tokens + context_step - 1) / context_step * context_step;
      chunk_squares += static_cast<double>(chunk.new_tokens) * chunk.new_tokens;
    }
    cost::StepCost cost;
    double ms = dense_[(tokens + 7) / 8 * 8 - 1] + save_[tokens - 1];
    if (step.decode_sequences > 0) {
      const std::int64_t n = step.decode_sequences;
      const std::int64_t row = (step.decode_context_tokens / n + context_step - 1) / context_step;
      ms += decode_[(n - 1) * rows_per_batch + row] * (n > 1 ? 1.1 : 1.0);
      // The mean, rounded down, stays ≤ 64 · row for this many steps, each adding n tokens.
      if (step.prefill.empty()) cost.steps = row * context_step - step.decode_context_tokens / n + 1;
    }
    if (!step.prefill.empty()) {
      const auto chunk = static_cast<std::int64_t>(std::nearbyint(std::sqrt(chunk_squares)));
      ms += prefill_[prefill_context / context_step * longest_chunk + chunk - 1] * (step.prefill.size() > 1 ? 1.1 : 1.0);
    }
    cost.duration = sim_time(layers * ms * 1e-3);
    return cost;
  }
  std::int64_t idle_power_mw() const override { return 0; }

 private:
  static constexpr std::int64_t rows_per_batch = 65;   // Contexts 0, 64, …, 4096.
  static constexpr std::int64_t longest_chunk = 4096;

  std::vector<double> dense_, save_, decode_, prefill_;
};

}  // namespace

std::vector<VidurRequest> load_vidur_requests(const std::filesystem::path& folder) {
  std::vector<VidurRequest> requests;
  read_csv(folder / "requests_1replica.csv.gz", [&](const std::vector<double>& v) {
    // id, arrived_at, prefill, decode, scheduled_at, prefill_completed_at, completed_at, restarts
    VidurRequest row;
    row.request.arrival = sim_time(v[1]);
    row.request.input_tokens = static_cast<std::int32_t>(v[2]);
    row.request.output_tokens = static_cast<std::int32_t>(v[3]);
    row.scheduled_s = v[4];
    row.prefill_completed_s = v[5];
    row.completed_s = v[6];
    requests.push_back(row);
  });
  return requests;
}

std::shared_ptr<const cost::StepCostModel> load_vidur_cost_model(const std::filesystem::path& folder) {
  return std::make_shared<VidurCostModel>(folder);
}

serving::ServingSpec vidur_serving(int replicas, std::shared_ptr<const cost::StepCostModel> cost, serving::Jumping jumping) {
  policies::SarathiOptions options;
  options.token_budget = 512;
  options.max_sequences = 48;
  options.watermark_blocks = 110;
  serving::PoolSpec pool;
  pool.name = "vidur";
  pool.replicas = replicas;
  pool.instance = {std::make_shared<policies::SarathiPolicy>(options), std::move(cost), 11'008, 16};
  serving::ServingSpec spec;
  spec.pools.push_back(pool);
  spec.router = std::make_shared<policies::RoundRobinRouter>();
  spec.jumping = jumping;
  return spec;
}

}  // namespace rackwright::test
