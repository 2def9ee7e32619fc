#include "models/cost/make_step_cost.h"
#include "models/cost/overlap.h"
#include "models/cost/roofline_cost.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::cost;

namespace {

/// Every product takes 10 us, every collective `link_us`, everything else 1 us.
class PlainCosts final : public OperatorCostModel {
 public:
  explicit PlainCosts(double link_us) : link_us_(link_us) {}
  OperatorCost cost(const llm::Operator& op) const override {
    OperatorCost cost;
    switch (class_of(op.kind)) {
      case llm::OperatorClass::collective: cost.parts.link_s = op.ranks > 1 ? link_us_ * 1e-6 : 0; break;
      case llm::OperatorClass::gemm: cost.parts.sm_clock_s = 10e-6; break;
      default: cost.parts.memory_s = 1e-6;
    }
    return cost;
  }
  std::vector<double> decode_knots(const llm::Operator&, const llm::Operator&) const override { return {1, 2}; }

 private:
  double link_us_;
};

llm::ShardedShape seventy_billion_on_eight() {
  Diagnostics findings;
  return llm::shard(test::model_preset("llama-3.1-70b"), {.tensor = 8}, {}, "", findings);
}

/// Microseconds of a step's products, of its other operators, and of its collectives by themselves.
struct Alone {
  double products = 0;
  double others = 0;
  double links = 0;
};
Alone alone(const llm::ShardedShape& sharded, double link_us) {
  Alone sums;
  for (const llm::Operator& op : llm::token_operators(sharded, 64)) {
    const bool links = class_of(op.kind) == llm::OperatorClass::collective;
    const bool multiplies = class_of(op.kind) == llm::OperatorClass::gemm;
    (links ? sums.links : multiplies ? sums.products : sums.others) += op.count * (links ? link_us : multiplies ? 10.0 : 1.0);
  }
  return sums;
}

double total_us(const Work& work) { return (work.parts.sm_clock_s + work.parts.memory_s + work.parts.link_s) * 1e6; }

OverlapSpec everywhere(Overlap overlap) {
  OverlapSpec spec;
  spec.attention = spec.feed_forward = spec.experts = overlap;
  spec.sync_s = 0;
  return spec;
}

}  // namespace

TEST_CASE("Without overlap a step is the sum of its operators") {
  const llm::ShardedShape sharded = seventy_billion_on_eight();
  const Alone sums = alone(sharded, 6);
  const Work work = overlapped_token_work(sharded, 64, PlainCosts(6), {});
  CHECK(total_us(work) == Approx(sums.products + sums.others + sums.links));
  CHECK(work.parts.link_s * 1e6 == Approx(sums.links));
}

TEST_CASE("At tile level a collective that is shorter than its product vanishes, and of a longer one the rest stays") {
  // 80 layers with two collectives each, after products of 10 us; one more after the embedding, which has no product.
  const llm::ShardedShape sharded = seventy_billion_on_eight();
  CHECK(overlapped_token_work(sharded, 64, PlainCosts(6), everywhere(Overlap::tile)).parts.link_s * 1e6 == Approx(6));
  CHECK(overlapped_token_work(sharded, 64, PlainCosts(25), everywhere(Overlap::tile)).parts.link_s * 1e6 == Approx(160 * 15 + 25));
  OverlapSpec spec = everywhere(Overlap::tile);
  spec.sync_s = 2e-6;
  CHECK(overlapped_token_work(sharded, 64, PlainCosts(6), spec).parts.link_s * 1e6 == Approx(160 * 2 + 6));
}

TEST_CASE("Where only one site is hidden, the other stays") {
  const llm::ShardedShape sharded = seventy_billion_on_eight();
  OverlapSpec spec;
  spec.sync_s = 0;
  spec.attention = Overlap::tile;
  CHECK(overlapped_token_work(sharded, 64, PlainCosts(6), spec).parts.link_s * 1e6 == Approx(80 * 6 + 6));
  spec.feed_forward = Overlap::tile;
  CHECK(overlapped_token_work(sharded, 64, PlainCosts(6), spec).parts.link_s * 1e6 == Approx(6));
}

TEST_CASE("SMs that only communicate slow the product that they serve") {
  // A tenth of the SMs: two products a layer take 10 / 0.9 us.
  const llm::ShardedShape sharded = seventy_billion_on_eight();
  OverlapSpec spec = everywhere(Overlap::tile);
  spec.sm_share = 0.1;
  const Alone sums = alone(sharded, 6);
  const Work work = overlapped_token_work(sharded, 64, PlainCosts(6), spec);
  CHECK(work.parts.sm_clock_s * 1e6 == Approx(sums.products + 160 * (10 / 0.9 - 10)));
}

TEST_CASE("At layer level half a batch hides the other's communication, and costs its products twice") {
  // Costs here do not depend on rows: two halves take twice the products. 2 · 161 collectives of 6 us hide behind them but
  // for the last one; with collectives of 60 us what exceeds the compute stays.
  const llm::ShardedShape sharded = seventy_billion_on_eight();
  Alone sums = alone(sharded, 6);
  const Work hidden = overlapped_token_work(sharded, 64, PlainCosts(6), everywhere(Overlap::layer));
  CHECK((hidden.parts.sm_clock_s + hidden.parts.memory_s) * 1e6 == Approx(2 * (sums.products + sums.others)));
  // The collective after the embedding belongs to no layer: both halves wait for it.
  CHECK(hidden.parts.link_s * 1e6 == Approx(2 * 6 + 6));
  sums = alone(sharded, 60);
  const Work long_one = overlapped_token_work(sharded, 64, PlainCosts(60), everywhere(Overlap::layer));
  CHECK(long_one.parts.link_s * 1e6 == Approx(2 * 60 + 2 * 160 * 60 - 2 * (sums.products + sums.others)));
  // One token cannot be halved.
  CHECK(overlapped_token_work(sharded, 1, PlainCosts(6), everywhere(Overlap::layer)).parts.link_s * 1e6 == Approx(161 * 6));
}

TEST_CASE("Tiles that go straight to the peers take what their bytes take, less where switches sum them") {
  llm::Operator op;
  op.kind = llm::OperatorKind::all_reduce;
  op.ranks = 8;
  op.message_bytes = 800;
  CHECK(direct_bytes(op, false) == Approx(1400));
  CHECK(direct_bytes(op, true) == Approx(800));
  op.kind = llm::OperatorKind::reduce_scatter;
  CHECK(direct_bytes(op, true) == Approx(700));
}

TEST_CASE("On eight H200 a long prefill of a 70B model spends a large share of its time in NCCL, and little of it at tile level") {
  StepCostInputs inputs;
  inputs.model = test::model_preset("llama-3.1-70b");
  inputs.parallelism = {.tensor = 8};
  inputs.device = test::h200();
  inputs.scale_up = scale_up_spec("nvlink4", 450e9);
  inputs.scale_up->all_reduce = AllReduce::nccl;
  inputs.execution.max_sequences = 8;
  inputs.execution.max_tokens = 64;
  const auto link_share = [&](Overlap overlap) {
    inputs.execution.collectives = everywhere(overlap);
    inputs.execution.collectives.direct_bytes_per_s = 0.78 * 450e9;
    inputs.execution.collectives.in_fabric_reduction = true;
    Diagnostics findings;
    const PrefillChunk chunk{.new_tokens = 8192, .last = true};
    StepShape step;
    step.prefill = {&chunk, 1};
    const StepCost cost = make_step_cost(inputs, findings)->price(step, {});
    return cost.parts.link_s / cost.duration.seconds();
  };
  const double none = link_share(Overlap::none);
  CHECK(none > 0.25);
  CHECK(link_share(Overlap::layer) < none / 3);
  CHECK(link_share(Overlap::tile) < none / 2);
}
