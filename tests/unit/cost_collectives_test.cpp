#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "models/cost/make_step_cost.h"
#include "models/cost/measured_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/roofline_cost.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::cost;
using llm::Operator;
using llm::OperatorKind;

namespace {

/// A file of a machine with `gpus` GPUs on which an all-reduce over n of them takes `us_per_kib` · n · S.
std::string collectives(int gpus, const std::vector<int>& sizes, double us_per_kib) {
  std::string text = fmt::format("# rackwright-profile: 1\n# family: collective.{}gpus\n# device: Test\n# gpus: {}\n", gpus, gpus);
  text += "impl,op,gpus,bytes,mode,median_us,p10_us,p90_us,reps,inner,sm_mhz,skip\n";
  for (const int n : sizes)
    for (const int kib : {1, 4, 1024, 1 << 20}) {
      const double us = us_per_kib * n * kib;
      text += fmt::format("nccl,all_reduce,{},{},graph,{},{},{},20,32,,\n", n, std::int64_t{kib} * 1024, us, us, us);
      text += fmt::format("nccl,all_reduce,{},{},eager,{},{},{},20,32,,\n", n, std::int64_t{kib} * 1024, 9 * us, 9 * us, 9 * us);
    }
  return text;
}

OperatorProfile profile_of(const ProfileFiles& files) {
  Diagnostics findings;
  OperatorProfile profile = read_profile("test", files, findings);
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(to_string(finding));
  CHECK(findings.all().empty());
  return profile;
}

Operator all_reduce(int ranks, double bytes) {
  Operator op;
  op.kind = OperatorKind::all_reduce;
  op.ranks = ranks;
  op.message_bytes = bytes;
  return op;
}

}  // namespace

TEST_CASE("A collective takes the table of its number of ranks, and between two of them the marked line of both") {
  // t = 2 us · n · KiB on two GPUs' machine; on larger ones 3 us, whose table for two ranks does not count.
  const OperatorProfile profile = profile_of({{"collective.csv", collectives(2, {2}, 2)}, {"collective.8gpus.csv", collectives(8, {2, 4, 8}, 3)}});
  const auto others = std::make_shared<RooflineOperatorCost>(test::h200(), default_efficiencies(test::h200()), scale_up_spec("nvlink4", 450e9));
  const MeasuredOperatorCost costs(profile, test::h200(), others);
  const auto us = [&](int ranks, double kib) { return costs.cost(all_reduce(ranks, kib * 1024)).parts.link_s * 1e6; };
  const auto provenance = [&](int ranks, double kib) { return costs.cost(all_reduce(ranks, kib * 1024)).provenance; };
  CHECK(us(2, 1) == Approx(4));
  CHECK(us(4, 1) == Approx(12));
  CHECK(us(8, 1024) == Approx(24 * 1024));
  // Proportional to the size, so straight in the logarithms: at twice the least size twice its time.
  CHECK(us(8, 2) == Approx(48));
  CHECK(provenance(8, 2) == Provenance::measured);
  // Past 1 GiB the last line goes on.
  CHECK(us(4, 2 << 20) == Approx(12.0 * (2 << 20)));
  CHECK(provenance(4, 2 << 20) == Provenance::extrapolated);
  // Six of four and eight: 12 us · 2^(log2 1.5) = 18 us.
  CHECK(us(6, 1) == Approx(18));
  CHECK(provenance(6, 1) == Provenance::extrapolated);
  // Three of two (4 us) and four (12 us): 4 · 3^(log2 1.5).
  CHECK(us(3, 1) == Approx(4 * std::pow(3, std::log2(1.5))));
  // Sixteen were not measured, nor anything larger: the other model's.
  CHECK(us(16, 1) == Approx(others->cost(all_reduce(16, 1024)).parts.link_s * 1e6));
  CHECK(provenance(16, 1) == others->cost(all_reduce(16, 1024)).provenance);
  CHECK(us(1, 1) == 0);
}

TEST_CASE("Transfers are read from the mode that their mechanism was measured in") {
  // Stores launched by a graph, as they are measured now, and one by one, as in older profiles, beside the engine's copies.
  const std::string product = "# rackwright-profile: 1\n# device: Test\ntype,m,n,k,mode,median_us,sm_mhz,skip\nbf16,1,64,64,graph,2,1980,\n";
  for (const char* mode : {"graph", "eager"}) {
    const std::string copies = fmt::format(
        "# rackwright-profile: 1\n# device: Test\nmechanism,direction,sms,chunk_bytes,bytes,mode,median_us,sm_mhz,skip\n"
        "copy_engine,one,0,0,1024,eager,3,,\ncopy_engine,one,0,0,1048576,eager,6,,\ncopy_engine,both,0,0,1024,eager,9,,\n"
        "sm_store,one,8,0,1024,{0},2,,\nsm_store,one,8,0,1048576,{0},5,,\nsm_store,one,16,0,1024,{0},,,it failed\n",
        mode);
    const OperatorProfile profile = profile_of({{"gemm.csv", product}, {"peer_copy.csv", copies}});
    REQUIRE(profile.transfers.size() == 2);
    for (const TransferSeries& series : profile.transfers) {
      const bool stores = series.mechanism == TransferMechanism::sm_stores;
      CHECK(series.sms == (stores ? 8 : 0));
      REQUIRE(series.points.size() == 2);
      CHECK(series.points[0].seconds == Approx(stores ? 2e-6 : 3e-6));
      CHECK(series.points[1].seconds == Approx(stores ? 5e-6 : 6e-6));
    }
  }
}

TEST_CASE("A step of an instance over four devices takes the table of four, and one over eight that of eight") {
  // 16 decodes of Llama-3.1-70B: two all-reduces a layer of 16 · 8192 · 2 bytes = 256 KiB, 80 layers, over the tables'
  // 3 us · n · 256; the collective of the embedding or the logits may come on top, so the ratio of both is checked.
  const std::string product = "# rackwright-profile: 1\n# family: gemm\n# device: Test\ntype,m,n,k,mode,median_us,sm_mhz,skip\nbf16,1,64,64,graph,2,1980,\nbf16,64,64,64,graph,2,1980,\n";
  const auto link_s = [&](int tensor) {
    StepCostInputs inputs;
    inputs.model = test::model_preset("llama-3.1-70b");
    inputs.parallelism.tensor = tensor;
    inputs.device = test::h200();
    inputs.execution.max_sequences = 64;
    inputs.execution.max_tokens = 2048;
    inputs.profile = std::make_shared<OperatorProfile>(profile_of({{"gemm.csv", product}, {"collective.8gpus.csv", collectives(8, {2, 4, 8}, 3)}}));
    Diagnostics findings;
    const auto steps = make_step_cost(inputs, findings);
    REQUIRE(steps);
    StepShape shape;
    shape.decode_sequences = 16;
    shape.decode_context_tokens = 16 * 1024;
    shape.decode_context_max = 1024;
    return steps->price(shape, {}).parts.link_s;
  };
  const double layers_of_two = 160 * 3e-6 * 2 * 256;
  CHECK(link_s(2) == Approx(layers_of_two).epsilon(0.1));
  CHECK(link_s(4) == Approx(2 * layers_of_two).epsilon(0.1));
  CHECK(link_s(8) == Approx(4 * layers_of_two).epsilon(0.1));
}
