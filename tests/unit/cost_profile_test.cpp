#include <fstream>

#include "models/base/invariant.h"
#include "models/cost/calibration.h"
#include "models/cost/grid_table.h"
#include "models/cost/make_step_cost.h"
#include "models/cost/measured_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/roofline_cost.h"
#include "models/llm/operator_graph.h"
#include "tests/support/catch.h"
#include "tests/support/devices.h"
#include "tests/support/sharded_preset.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using namespace rackwright::cost;
using llm::Operator;
using llm::OperatorKind;

namespace {

const std::string header = "# rackwright-profile: 1\n# family: x\n# device: Test\n# sm_clock_max_mhz: 2000\n";

/// A profile folder with these files.
OperatorProfile profile_of(const std::vector<std::pair<std::string, std::string>>& files, Diagnostics& findings) {
  const test::TemporaryFolder folder;
  for (const auto& [name, text] : files) std::ofstream(folder.path() / name) << header << text;
  return read_profile(folder.path(), findings);
}

Operator gemm(double m, int n, int k) {
  return operator_at({{ProfileFamily::gemm, static_cast<int>(hardware::NumberFormat::bf16), {n, k}}, {m}});
}

MeasuredOperatorCost measured(const OperatorProfile& profile) {
  return {profile, test::h200(), std::make_shared<RooflineOperatorCost>(test::h200(), default_efficiencies(test::h200()), std::nullopt)};
}

}  // namespace

TEST_CASE("A grid gives its own points back, lines between them, and says when it is left") {
  // f(x, y) = 10 x + y on a union of two grids: under x = 1 and 3 other y than under x = 2.
  std::vector<GridTable::Point> points;
  for (const double x : {1.0, 3.0}) for (const double y : {0.0, 4.0}) points.push_back({{x, y}, 10 * x + y});
  for (const double y : {1.0, 2.0, 8.0}) points.push_back({{2, y}, 20 + y});
  const GridTable table(2, points);
  const auto at = [&](double x, double y) { return table.at(std::array{x, y}); };
  for (const auto& point : points) CHECK(at(point.at[0], point.at[1]).value == point.value);
  CHECK(at(1.5, 2).value == Approx(17));
  CHECK(at(1.5, 2).inside);
  CHECK_FALSE(at(1.5, 5).inside);       // Past y = 4 under x = 1.
  CHECK(at(2, 5).inside);
  CHECK(at(4, 2).value == Approx(42));  // The line of x = 2, 3 goes on.
  CHECK_FALSE(at(4, 2).inside);
  CHECK(at(0, 2).value == at(1, 2).value);
  CHECK(table.knots(std::array{1.5}) == std::vector<double>{0, 1, 2, 4, 8});
  CHECK(table.knots(std::array{2.0}) == std::vector<double>{1, 2, 8});
}

TEST_CASE("A grid does not fall beyond its last point, and averages repeated ones") {
  const std::vector<GridTable::Point> points{{{1}, 10}, {{2}, 8}, {{2}, 6}};
  const GridTable table(1, points);
  CHECK(table.at(std::array{2.0}).value == 7);
  CHECK(table.at(std::array{9.0}).value == 7);
}

TEST_CASE("An operator and its place in the tables agree on flops and bytes") {
  const llm::ShardedShape sharded = test::sharded_preset(GENERATE("llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b"), 1);
  std::vector<Operator> operators = llm::token_operators(sharded, 300);
  operators.push_back(llm::decode_attention(sharded, sharded.layers[0], 8, 8 * 700));
  operators.push_back(llm::prefill_attention(sharded, sharded.layers[0], 500, 300));
  operators.push_back(test::operator_of(llm::row_operators(sharded, 20), OperatorKind::lm_head));
  for (const Operator& op : operators) {
    if (op.kind == OperatorKind::route || op.kind == OperatorKind::router) continue;  // Counted with its indices; in another format.
    CAPTURE(to_string(op.kind));
    const Operator same = operator_at(place_of(op));
    CHECK(same.flops == Approx(op.flops).epsilon(1e-6));
    CHECK(same.bytes == Approx(op.bytes).epsilon(1e-6));
  }
}

TEST_CASE("Measured operators cost what was measured, and between points a line") {
  Diagnostics findings;
  const OperatorProfile profile = profile_of(
      {{"gemm.csv", "impl,type,m,n,k,mode,median_us,p10_us,p90_us,reps,inner,sm_mhz,skip\n"
                    "cublaslt,bf16,64,4096,4096,graph,20,19,21,24,16,2000,\n"
                    "other,bf16,64,4096,4096,graph,12,19,21,24,16,2000,\n"
                    "cublaslt,bf16,64,4096,4096,eager,50,19,21,24,16,2000,\n"
                    "cublaslt,bf16,128,4096,4096,graph,30,19,21,24,16,2000,\n"
                    "cublaslt,fp8_e4m3,1,6144,4095,graph,,,,,,,k is not a multiple of 16\n"}}, findings);
  CHECK(findings.all().empty());
  CHECK(profile.points.size() == 2);
  const MeasuredOperatorCost model = measured(profile);
  CHECK(model.cost(gemm(64, 4096, 4096)).seconds() == Approx(20e-6));
  CHECK(model.cost(gemm(96, 4096, 4096)).seconds() == Approx(25e-6));
  CHECK(model.cost(gemm(96, 4096, 4096)).provenance == Provenance::measured);
  CHECK(model.cost(gemm(256, 4096, 4096)).seconds() == Approx(50e-6));
  CHECK(model.cost(gemm(256, 4096, 4096)).provenance == Provenance::extrapolated);
  CHECK(model.cost(gemm(64, 8192, 4096)).provenance == Provenance::calibrated);
}

TEST_CASE("Operators last what they lasted when measured, and draw power for the clock that they ran at") {
  Diagnostics findings;
  const OperatorProfile profile = profile_of(
      {{"gemm.csv", "type,m,n,k,mode,median_us,sm_mhz,skip\n"
                    "bf16,8192,8192,8192,graph,1500,1600,\n"
                    "bf16,1,8192,8192,graph,40,2000,\n"}}, findings);
  const MeasuredOperatorCost model = measured(profile);
  const OperatorCost large = model.cost(gemm(8192, 8192, 8192));
  CHECK(large.seconds() == Approx(1500e-6));
  CHECK(large.parts.memory_s == 0);
  CHECK(large.clock == 0.8);
  Work work;
  work.add(large, 2, 1);
  CHECK(work.active_s == Approx(2 * 1500e-6 * 0.8));
  // 128 MiB of weights at 0.92 of 4.8 TB/s are 30 us of the small one's 40.
  CHECK(model.cost(gemm(1, 8192, 8192)).parts.memory_s == Approx(30.4e-6).epsilon(0.01));
  CHECK(model.cost(gemm(1, 8192, 8192)).clock == 1);
}

TEST_CASE("An engine's own all-reduce is the measured one-shot kernel, the library's the measured library") {
  Diagnostics findings;
  const OperatorProfile profile = profile_of({{"collective.csv",
                                               "impl,op,gpus,bytes,mode,median_us,skip\n"
                                               "nccl,all_reduce,2,1024,graph,6,\nnccl,all_reduce,2,1048576,graph,14,\n"
                                               "nccl,all_reduce,2,16777216,graph,76,\n"
                                               "one_shot,all_reduce,2,1024,graph,5,\none_shot,all_reduce,2,1048576,graph,10,\n"
                                               "one_shot,all_reduce,2,16777216,graph,66,\n"}},
                                             findings);
  REQUIRE(findings.error_count() == 0);
  ScaleUpSpec link = scale_up_spec("nvlink4", 450e9);
  const auto seconds = [&](AllReduce kernels, double bytes, int ranks) {
    link.all_reduce = kernels;
    const auto others = std::make_shared<RooflineOperatorCost>(test::h200(), default_efficiencies(test::h200()), link);
    Operator op;
    op.kind = OperatorKind::all_reduce;
    op.ranks = ranks;
    op.message_bytes = bytes;
    return MeasuredOperatorCost(profile, test::h200(), others, link).cost(op).seconds();
  };
  CHECK(seconds(AllReduce::peer_memory, 1048576, 2) == Approx(10e-6));
  CHECK(seconds(AllReduce::nccl, 1048576, 2) == Approx(14e-6));
  CHECK(seconds(AllReduce::best_known, 1048576, 2) == Approx(14e-6));
  CHECK(seconds(AllReduce::peer_memory, 16777216, 2) == Approx(76e-6));
  // Four ranks were not measured: the constants of the link, 4.7 us + 3 S / (0.76 · 450 GB/s).
  CHECK(seconds(AllReduce::peer_memory, 1e5, 4) == Approx(4.7e-6 + 3e5 / (0.76 * 450e9)));
}

TEST_CASE("A prompt between two measured numbers of tokens costs halfway between the line and the next number") {
  Diagnostics findings;
  const OperatorProfile profile = profile_of(
      {{"attention_prefill.csv", "impl,q_heads,kv_heads,head_dim,sequences,new_tokens,past_tokens,mode,median_us,sm_mhz,skip\n"
                                 "mma,32,8,128,1,128,0,graph,10,2000,\nmma,32,8,128,1,256,0,graph,20,2000,\n"
                                 "cudnn,32,8,128,1,128,0,graph,5,2000,\n"}}, findings);
  const MeasuredOperatorCost model = measured(profile);
  const auto cost = [&](double tokens) { return model.cost(operator_at({{ProfileFamily::prefill_attention, 0, {32, 8, 128, 128}}, {tokens, 0}})); };
  CHECK(cost(128).seconds() == Approx(10e-6));  // Of the implementation with more rows.
  CHECK(cost(192).seconds() == Approx((15e-6 + 20e-6) / 2));
  CHECK(cost(256).seconds() == Approx(20e-6));
}

TEST_CASE("A shape without a table scales that of the nearest one") {
  // Twice the heads over the same context: nearly twice the bytes of KV and the time.
  Diagnostics findings;
  const OperatorProfile profile = profile_of(
      {{"attention_decode.csv", "q_heads,kv_heads,head_dim,batch,context_mean,context_max,lengths,mode,median_us,sm_mhz,skip\n"
                                "32,8,128,64,100,100,even,graph,40,2000,\n32,8,128,64,8000,8000,even,graph,600,2000,\n"
                                "32,32,128,64,8000,8000,even,graph,9000,2000,\n"}}, findings);
  const MeasuredOperatorCost model = measured(profile);
  const OperatorCost cost = model.cost(operator_at({{ProfileFamily::decode_attention, 0, {64, 16, 128, 128}}, {64, 8000}}));
  CHECK(cost.provenance == Provenance::calibrated);
  CHECK(cost.seconds() == Approx(1200e-6).epsilon(0.02));
}

TEST_CASE("An uneven batch takes what its mean does, and a share of what its longest context takes alone beyond the mean") {
  // Even batches: 10 + context/10 us for 4 sequences, 5 + context/40 for one. Mean 400, longest 1,200: 60 = 50 + 0.5·(35 − 15).
  Diagnostics findings;
  const std::string columns = "impl,q_heads,kv_heads,head_dim,batch,context_mean,context_max,lengths,mode,median_us,sm_mhz,skip\n";
  const OperatorProfile profile = profile_of(
      {{"attention_decode.csv", columns + "split256,32,8,128,4,100,100,even,graph,20,2000,\nsplit256,32,8,128,4,2000,2000,even,graph,210,2000,\n"
                                          "split256,32,8,128,1,100,100,even,graph,7.5,2000,\nsplit256,32,8,128,1,2000,2000,even,graph,55,2000,\n"
                                          "split256,32,8,128,4,400,1200,uneven,graph,60,2000,\n"}}, findings);
  CHECK(profile.points.size() == 4);
  CHECK(profile.uneven.size() == 1);
  CHECK(fit_uneven_share(profile) == Approx(0.5));
  CHECK(measured(profile).uneven_share() == Approx(0.5));
}

TEST_CASE("A broken profile is refused with the place") {
  Diagnostics findings;
  profile_of({{"gemm.csv", "type,m,n,k,mode,median_us,sm_mhz,skip\nbf16,x,1,1,graph,4,2000,\nbf16,1,1,graph,4,2000,\nbf16,1,1,1,graph,0,2000,\n"}}, findings);
  REQUIRE(findings.error_count() == 3);
  CHECK(findings.all()[0].message == "7 fields, but the header has 8");
  CHECK(findings.all()[0].where.line == 7);
  CHECK(findings.all()[1].message == "a number is expected, not 'x'");
  CHECK(findings.all()[1].where.line == 6);
  CHECK(findings.all()[2].message == "a time is not above zero");
  CHECK_THROWS_AS(read_profile("/nonexistent", findings), EnvironmentError);
}

TEST_CASE("Efficiencies fitted to a roofline's own points are that roofline's") {
  const hardware::DeviceSpec device = test::h200();
  Efficiencies truth;
  truth.gemm_bf16 = 0.7;
  truth.gemm_memory = 0.85;
  truth.attention_memory = 0.9;
  truth.gemm_kernel_s = truth.attention_kernel_s = 2e-6;
  const RooflineOperatorCost model(device, truth, std::nullopt);
  OperatorProfile profile;
  const auto add = [&](const ProfilePlace& place) { profile.points.push_back({place, model.cost(operator_at(place)).seconds(), 0}); };
  for (const double m : {1, 16, 64, 1024, 4096, 16384})
    for (const int n : {4096, 28672}) add({{ProfileFamily::gemm, static_cast<int>(hardware::NumberFormat::bf16), {n, 8192}}, {m}});
  // A call with nothing to do in each class.
  add({{ProfileFamily::gemm, static_cast<int>(hardware::NumberFormat::bf16), {1, 1}}, {1}});
  add({{ProfileFamily::decode_attention, 0, {1, 1, 1, 1}}, {1, 1}});
  for (const double context : {1000, 8000}) add({{ProfileFamily::decode_attention, 0, {32, 8, 128, 128}}, {64, context}});
  const Efficiencies fitted = fit_efficiencies(profile, device);
  CHECK(fitted.gemm_bf16 == Approx(0.7).epsilon(1e-6));
  CHECK(fitted.gemm_memory == Approx(0.85).epsilon(1e-6));
  CHECK(fitted.attention_memory == Approx(0.9).epsilon(1e-6));
  CHECK(fitted.provenance == Provenance::calibrated);
  const auto quality = fit_quality(RooflineOperatorCost(device, fitted, std::nullopt), profile.points);
  for (const FitQuality& of_class : quality) CHECK(of_class.max < 1e-6);
}

TEST_CASE("Power fitted to loads of a known law is that law") {
  OperatorProfile profile;
  profile.full_clock_hz = 1980e6;
  profile.idle_w = 115;
  for (const double busy : {0.2, 0.6, 1.0})
    for (const double clock : {1980e6, 1500e6})
      for (const double u : {0.0, 0.4, 0.8}) {
        const double c = clock / 1980e6;
        profile.power.push_back({busy, u * 989e12, (0.9 - u) * 4.8e12, clock, 115 + c * (90 * busy + 500 * u) + 230 * (0.9 - u)});
      }
  const auto power = fit_power(profile, test::h200());
  REQUIRE(power);
  CHECK(power->active_w == Approx(90));
  CHECK(power->compute_w == Approx(500));
  CHECK(power->memory_w == Approx(230));
  // Nothing is cut off: such a prompt draws 115 + 90 + 500·0.97 + 230·0.3 = 759 W for its moment, and the board holds the mean.
  const power::StepActivity prefill{.clock_bound_s = 1, .other_s = 0, .active_s = 1, .memory_s = 0.3, .compute_s = 0.97};
  CHECK(power::step_power_w(*power, prefill, 1) == Approx(759));
  const auto control = power::clock_control(*power, 2);
  REQUIRE(control);
  CHECK(control->limit_mw == 2 * 700'000);
  CHECK(control->idle_mw == 2 * 115'000);
}

TEST_CASE("A board holds its mean to what loads drew that its limit slowed down, as a share of a limit that is set lower too") {
  OperatorProfile profile;
  profile.full_clock_hz = 1980e6;
  profile.limit_w = 700;
  profile.idle_w = 115;
  for (const double watts : {600.0, 640.0, 688.0, 690.0, 692.0, 694.0, 690.0, 690.0})
    profile.power.push_back({1, 1e12 * watts, 1e9 * watts, watts > 650 ? 1400e6 : 1980e6, watts});
  hardware::DeviceSpec device = test::h200();
  CHECK(fit_power(profile, device)->limit_w == Approx(690));
  device.limit_power_w = 500;
  CHECK(fit_power(profile, device)->limit_w == Approx(500 * 690.0 / 700));
}

TEST_CASE("Efficiencies carried to another device keep, at each intensity and size, the share of the roofline that was reached") {
  // Measured: 1,000 TFLOP/s, 5 TB/s. Products take 1 us and four times the roofline when bound by memory, twice it when by
  // arithmetic. A taker of half of both rates takes as long for half the depth as the measured device for all of it, within the
  // thousandth by which the bytes of the result shift the place, and at another share where the measured device had one.
  hardware::DeviceSpec measured_device = test::h200();
  measured_device.peak.bf16_flop_per_s = 1000e12;
  measured_device.memory_bytes_per_s = 5e12;
  hardware::DeviceSpec taker = measured_device;
  taker.peak.bf16_flop_per_s = 500e12;
  taker.memory_bytes_per_s = 2.5e12;
  OperatorProfile profile;
  const auto roofline_s = [](const Operator& op, double part) { return std::max(op.flops / (part * 1000e12), op.bytes / (part * 5e12)); };
  const auto times = [](int m) { return m == 32 ? 4.0 : m == 64 ? 3.0 : 2.0; };
  for (const int m : {32, 64, 8192}) profile.points.push_back({place_of(gemm(m, 8192, 8192)), 1e-6 + times(m) * roofline_s(gemm(m, 8192, 8192), 1), 0});
  profile.points.push_back({place_of(gemm(1, 64, 64)), 1e-6, 0});
  const RooflineOperatorCost model(taker, carried_efficiencies(profile, measured_device, taker), std::nullopt);
  for (const int m : {32, 8192}) {
    const OperatorCost cost = model.cost(gemm(m, 8192, 4096));
    CHECK(cost.seconds() == Approx(1e-6 + times(m) * roofline_s(gemm(m, 8192, 4096), 0.5)).epsilon(0.02));
    CHECK(cost.provenance == Provenance::calibrated);
  }
}

TEST_CASE("Power is that of the mean card: each card counts once, by the mean of its loads above idle") {
  // Metered: 300 and 500 W over 100 idle. Card B: 80 % and 60 % of that, so 70 %. Mean of both cards: 85 %.
  Diagnostics findings;
  const OperatorProfile profile = profile_of(
      {{"gemm.csv", "type,m,n,k,mode,median_us,sm_mhz,skip\nbf16,1,64,64,graph,2,1980,\n"},
       {"energy.csv", "class,case,duty,sm_mhz,mean_w,skip\nidle,context,0,1980,100,\nstep,a,1,1980,300,\nstep,b,1,1980,500,\n"},
       {"cards.csv", "card,class,case,mean_w\nB,step,a,260\nB,step,b,340\n"}}, findings);
  CHECK(findings.all().empty());
  CHECK(profile.card_share == Approx(0.85));
}

TEST_CASE("A board with published rates passes no limit unless a lower one is set, which then costs clock and power") {
  // Law: 115 + 585 · (0.48 + 0.89/0.8 · 0.9) = 981 W, cut off at 700 W. At half the clock the same work takes twice as long:
  // 115 + 0.5 · 585 · (0.48 + 0.89/0.8 · 0.45) = 402 W, of which 585/866 above idle counts.
  hardware::DeviceSpec device = test::h200();
  device.idle_power_w = 115;
  device.limit_power_w = 700;
  device.achieved_bf16_fraction = 0.8;
  const power::StepActivity product{.clock_bound_s = 1, .other_s = 0, .active_s = 1, .memory_s = 0, .compute_s = 0.9};
  CHECK_FALSE(power::clock_control(power::datasheet_power(device), 1));
  CHECK(power::step_power_w(power::datasheet_power(device), product, 1) == Approx(700));
  device.rated_power_w = 700;
  device.limit_power_w = 500;
  const power::DevicePower lowered = power::datasheet_power(device);
  CHECK(power::clock_control(lowered, 1)->limit_mw == 500'000);
  CHECK(power::step_power_w(lowered, product, 1) == Approx(700));
  const double above = 585 * (0.48 + 0.89 / 0.8 * 0.9);
  CHECK(power::step_power_w(lowered, product, 0.5) == Approx(115 + 0.5 * 585 * (0.48 + 0.89 / 0.8 * 0.45) * 585 / above));
}

TEST_CASE("A board lowers the clock with the root of the power above idle, in whole steps, and raises it again") {
  const power::ClockControl control{.limit_mw = 700'000, .idle_mw = 100'000, .period = {1000}, .min_clock = 0.5, .clock_step = 0.01};
  CHECK(power::next_clock(control, 1, 600'000) == 1);
  CHECK(power::next_clock(control, 1, 50'000) == 1);
  CHECK(power::next_clock(control, 1, 850'000) == Approx(0.89));    // √(600 / 750) = 0.894
  CHECK(power::next_clock(control, 0.89, 700'000) == Approx(0.89));
  CHECK(power::next_clock(control, 0.8, 475'000) == 1);             // 0.8 · √(600 / 375) = 1.01
  CHECK(power::next_clock(control, 1, 9'000'000) == 0.5);
}
