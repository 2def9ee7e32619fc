#include <algorithm>

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

/// Microseconds of communication that computing does not hide, in a step with nothing but this work.
double exposed_us(const Work& work) {
  const double computing_s = work.parts.sm_clock_s + work.parts.memory_s;
  const TurnLine line = turn_line(work.turns, computing_s, 1);
  return (work.parts.link_s + line.constant_s + (line.slope - 1) * computing_s) * 1e6;
}

/// Microseconds of the feed-forward networks, which run between both collectives of a layer.
double feed_forward_us(const llm::ShardedShape& sharded) {
  double sum = 0;
  for (const llm::Operator& op : llm::token_operators(sharded, 64))
    if (is_feed_forward(op.kind)) sum += op.count * (class_of(op.kind) == llm::OperatorClass::gemm ? 10.0 : 1.0);
  return sum;
}

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
  // for the last one; of 60 us, each side of a layer takes as long as its collective.
  const llm::ShardedShape sharded = seventy_billion_on_eight();
  Alone sums = alone(sharded, 6);
  const Work hidden = overlapped_token_work(sharded, 64, PlainCosts(6), everywhere(Overlap::layer));
  CHECK((hidden.parts.sm_clock_s + hidden.parts.memory_s) * 1e6 == Approx(2 * (sums.products + sums.others)));
  // The collective after the embedding belongs to no layer: both halves wait for it.
  CHECK(exposed_us(hidden) == Approx(2 * 6 + 6));
  CHECK(hidden.turns.exchange_s() * 1e6 == Approx(2 * 160 * 6 - 6));
  sums = alone(sharded, 60);
  const Work long_one = overlapped_token_work(sharded, 64, PlainCosts(60), everywhere(Overlap::layer));
  CHECK(exposed_us(long_one) == Approx(2 * 60 + 2 * 160 * 60 - 2 * (sums.products + sums.others)));
  // Of 30 us: longer than the attention side of a layer, shorter than the feed-forward's; both exchanges of both halves.
  const double m = 2 * feed_forward_us(sharded);
  const double a = 2 * (sums.products + sums.others) - m;
  for (const double link : {6.0, 22.0, 30.0, 60.0}) {
    const double d = 2 * 80 * link;
    const double c = d - link;
    const double both = 0.5 * (std::max(a, d) + std::max(a, c) + std::max(m, d) + std::max(m, c));
    CAPTURE(link, a / 160, m / 160);
    CHECK(exposed_us(overlapped_token_work(sharded, 64, PlainCosts(link), everywhere(Overlap::layer))) == Approx(2 * link + link + both - a - m).margin(1e-6));
  }
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

TEST_CASE("A step whose communication is the longer does not grow until its attention overtakes it, and loses the last exchange only") {
  StepCostInputs inputs;
  inputs.model = test::model_preset("deepseek-v3");
  inputs.parallelism = {.data = 8, .expert = 8};
  inputs.device = test::h200();
  inputs.scale_up = scale_up_spec("nvlink4", 2e9);
  inputs.execution.max_sequences = 512;
  inputs.execution.max_tokens = 16;
  const auto decode = [&](Overlap overlap, int sequences, std::int64_t context) {
    inputs.execution.collectives = everywhere(overlap);
    Diagnostics findings;
    StepShape step;
    step.decode_sequences = sequences;
    step.decode_context_tokens = sequences * context;
    step.decode_context_max = static_cast<std::int32_t>(context);
    return make_step_cost(inputs, findings)->price(step, {});
  };
  const StepCost alone = decode(Overlap::none, 512, 1000);
  const StepCost two_batches = decode(Overlap::layer, 512, 1000);
  CHECK(alone.growth.ps > 0);
  CHECK(two_batches.growth.ps == 0);
  // 58 layers dispatch and combine half of the tokens twice.
  Diagnostics findings;
  const llm::ShardedShape sharded = llm::shard(inputs.model, inputs.parallelism, {}, "", findings);
  const RooflineOperatorCost costs(inputs.device, {}, inputs.scale_up);
  double exchange_s = 0;
  for (const llm::Operator& op : llm::token_operators(sharded, 256))
    if (op.kind == llm::OperatorKind::all_to_all) exchange_s += 2 * op.count * costs.cost(op).seconds();
  CHECK(two_batches.duration.seconds() == Approx(exchange_s));
  CHECK(two_batches.parts.link_s < exchange_s);
  CHECK(two_batches.parts.link_s == Approx(exchange_s - two_batches.parts.sm_clock_s - two_batches.parts.memory_s));
  // Long contexts take longer than the exchange: the step grows with them again.
  const StepCost late = decode(Overlap::layer, 512, 100'000);
  CHECK(late.growth.ps > 0);
  // Few tokens: weights are read twice, and little communication is there to hide.
  inputs.scale_up = scale_up_spec("nvlink4", 450e9);
  CHECK(decode(Overlap::layer, 32, 1000).duration > decode(Overlap::none, 32, 1000).duration);
}

TEST_CASE("A stretch may be cut anywhere, whichever of computing and communication is longer") {
  StepCostInputs inputs;
  inputs.model = test::model_preset("deepseek-v3");
  inputs.parallelism = {.data = 8, .expert = 8};
  inputs.device = test::h200();
  inputs.execution.max_sequences = 64;
  inputs.execution.max_tokens = 16;
  inputs.execution.collectives = everywhere(Overlap::layer);
  for (const double link : {1e9, 5e9, 20e9, 450e9}) {
    inputs.scale_up = scale_up_spec("nvlink4", link);
    Diagnostics findings;
    const auto model = make_step_cost(inputs, findings);
    const auto at = [&](std::int64_t age) {
      StepShape step;
      step.decode_sequences = 64;
      step.decode_context_tokens = 64 * (3000 + age) + 17;
      step.decode_context_max = static_cast<std::int32_t>(4000 + age);
      return model->price(step, {});
    };
    std::int64_t bends = 0;
    for (std::int64_t age = 0; age < 20'000;) {
      const StepCost whole = at(age);
      for (const std::int64_t k : {std::int64_t{1}, whole.steps / 2, whole.steps - 1})
        if (k < whole.steps) CHECK(at(age + k).duration == whole.duration + whole.growth * k);
      age += whole.steps;
      bends += whole.growth.ps == 0 ? 1 : 0;
    }
    if (link == 1e9) CHECK(bends > 0);
    if (link == 450e9) CHECK(bends == 0);
  }
}
