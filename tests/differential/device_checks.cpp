#include "tests/differential/device_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include "models/base/invariant.h"
#include "models/cost/csv_table.h"
#include "models/cost/make_step_cost.h"
#include "models/cost/profile_reader.h"
#include "sim/serving/clock_governor.h"
#include "tests/support/devices.h"
#include "tests/support/model_preset.h"
#include "tests/support/oracle_engine.h"

namespace rackwright::test {
namespace {

std::filesystem::path folder() { return std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200"; }

std::shared_ptr<const cost::OperatorProfile> h200_profile() {
  Diagnostics findings;
  auto profile = std::make_shared<const cost::OperatorProfile>(cost::read_profile(folder(), findings));
  invariant(!findings.has_errors(), "the committed profile is whole");
  return profile;
}

/// Graphs of exactly these batches, and a host that costs nothing.
std::unique_ptr<cost::StepCostModel> steps_of(const std::string& model, int layers, int tensor,
                                              std::shared_ptr<const cost::OperatorProfile> profile) {
  cost::StepCostInputs inputs;
  inputs.model = model_preset(model);
  inputs.model.layers[0].count = layers;
  inputs.parallelism.tensor = tensor;
  inputs.device = h200();
  inputs.execution.prefill = cost::ExecutionMode::graph;
  inputs.execution.max_tokens = 2128;
  inputs.execution.max_sequences = 80;
  inputs.profile = std::move(profile);
  Diagnostics findings;
  auto steps = cost::make_step_cost(inputs, findings);
  invariant(steps != nullptr, "the model of a measured step can be built");
  return steps;
}

double price_us(const cost::StepCostModel& steps, int decode, int context, int prefill, int past) {
  const cost::PrefillChunk chunk{prefill, past, true};
  cost::StepShape shape;
  shape.decode_sequences = decode;
  shape.decode_context_tokens = static_cast<std::int64_t>(decode) * context;
  shape.decode_context_max = context;
  if (prefill > 0) shape.prefill = {&chunk, 1};
  return steps.price(shape, {}).duration.seconds() * 1e6;
}

void add_steps(const char* file, std::vector<DeviceCheck>& checks) {
  Diagnostics findings;
  const cost::CsvTable table = cost::CsvTable::read(folder() / file, findings);
  const auto profile = h200_profile();
  std::map<std::pair<std::string, int>, std::unique_ptr<cost::StepCostModel>> models;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!table.text(row, "skip").empty()) continue;
    const auto integer = [&](std::string_view column) { return static_cast<int>(table.number(row, column, findings)); };
    const std::string name(table.text(row, "model"));
    const bool split = name.ends_with("-tp2");
    auto& steps = models[{name, integer("layers")}];
    // A rank's share by itself, without its all-reduces, is not a step: those rows are checked by operator elsewhere.
    if (split && std::string_view(file) == "step.csv") continue;
    if (!steps) steps = steps_of(split ? name.substr(0, name.size() - 4) : name, integer("layers"), split ? 2 : 1, profile);
    checks.push_back({fmt::format("{}, {} decodes of {}, {} prompt tokens after {}", name, integer("decode"), integer("context"), integer("prefill"), integer("past")),
                      table.number(row, "median_us", findings),
                      price_us(*steps, integer("decode"), integer("context"), integer("prefill"), integer("past"))});
  }
  invariant(!findings.has_errors(), "the committed tables are whole");
}

/// Prompt steps, decode steps and a rest, over and over.
struct Round {
  int prompts = 0;
  int decodes = 0;
  int sequences = 0;
  double rest = 0;  ///< As a multiple of the steps at full clock.
};

class RoundRun final : public engine::EventHandler, public serving::GovernedClock {
 public:
  RoundRun(const cost::StepCostModel& steps, const Round& round)
      : steps_(steps), round_(round), control_(*steps.clock_control()), governor_(control_, engine_, 1, *this) {
    engine_.at({}, engine::Phase::dispatch, 0, *this, 0);
    engine_.run();
  }
  double round_us() const { return static_cast<double>((end_ - begin_).ps) * 1e-6 / rounds_; }
  double mean_w() const { return energy_mj_ / (end_ - begin_).seconds() / 1e3; }

  void set_sm_clock(double clock) override { clock_ = clock; }  // From the next step on.
  void on_event(std::uint64_t position) override {
    const SimTime now = engine_.now();
    if (position == 0 && now >= sim_time(1.2)) {
      if (counts_) ++rounds_;
      else begin_ = now;
      counts_ = true;
      end_ = now;
    }
    if (now > sim_time(6) && position == 0) {
      governor_.draws(control_.idle_mw);
      return;
    }
    const auto steps = static_cast<std::uint64_t>(round_.prompts + round_.decodes);
    const SimTime lasts = position < steps ? run_step(position < static_cast<std::uint64_t>(round_.prompts)) : rest();
    if (counts_) energy_mj_ += static_cast<double>(power_mw_) * lasts.seconds();
    engine_.at(now + lasts, engine::Phase::dispatch, 0, *this, position == steps ? 0 : position + 1);
  }

 private:
  SimTime run_step(bool prompt) {
    const cost::PrefillChunk chunk{1024, 0, true};
    cost::StepShape shape;
    if (prompt) shape.prefill = {&chunk, 1};
    else shape.decode_sequences = round_.sequences;
    shape.decode_context_tokens = std::int64_t{1024} * shape.decode_sequences;
    shape.decode_context_max = prompt ? 0 : 1024;
    const cost::StepCost cost = steps_.price(shape, {clock_, 1});
    work_ += steps_.price(shape, {}).duration;
    power_mw_ = cost.power_mw;
    governor_.draws(power_mw_);
    return cost.duration;
  }
  SimTime rest() {
    power_mw_ = control_.idle_mw;
    governor_.draws(power_mw_);
    const SimTime lasts = sim_time(std::max(work_.seconds() * round_.rest, 1e-12));
    work_ = {};
    return lasts;
  }

  const cost::StepCostModel& steps_;
  const Round round_;
  const power::ClockControl control_;
  tests::OracleEngine engine_;
  serving::ClockGovernor governor_;
  double clock_ = 1;
  std::int64_t power_mw_ = 0;
  SimTime work_;
  bool counts_ = false;
  int rounds_ = 0;
  SimTime begin_, end_;
  double energy_mj_ = 0;
};

/// Sums over the rows of one case.
struct Measured {
  Round round;
  double round_us = 0;
  int rows = 0;
  double first_s = 0, first_j = 0, last_s = 0, last_j = 0;
};

}  // namespace

std::vector<DeviceCheck> step_checks() {
  std::vector<DeviceCheck> checks;
  add_steps("step.csv", checks);
  add_steps("pair_step.csv", checks);
  return checks;
}

std::vector<DeviceCheck> throttle_checks() {
  Diagnostics findings;
  const cost::CsvTable table = cost::CsvTable::read(folder() / "throttle.csv", findings);
  std::vector<std::pair<std::string, Measured>> cases;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string name(table.text(row, "case"));
    const auto number = [&](std::string_view column) { return table.number(row, column, findings); };
    if (name == "light_mixed_light" || number("t_s") < 1.2) continue;
    if (cases.empty() || cases.back().first != name)
      cases.emplace_back(name, Measured{{static_cast<int>(number("prompts")), static_cast<int>(number("decodes")),
                                         static_cast<int>(number("decode")), number("rest")}, 0, 0, number("t_s"), number("energy_j"), 0, 0});
    Measured& one = cases.back().second;
    one.round_us += number("round_us");
    ++one.rows;
    one.last_s = number("t_s");
    one.last_j = number("energy_j");
  }
  invariant(!findings.has_errors() && !cases.empty(), "the committed tables are whole");
  const auto steps = steps_of("llama-3.1-8b", 32, 1, h200_profile());
  std::vector<DeviceCheck> checks;
  for (const auto& [name, one] : cases) {
    const RoundRun run(*steps, one.round);
    std::string title = fmt::format("{} × 1,024 prompt tokens, {} × {} decodes", one.round.prompts, one.round.decodes, one.round.sequences);
    if (one.round.rest > 0) title += fmt::format(", rest of {:g} times that", one.round.rest);
    checks.push_back({title, one.round_us / one.rows, run.round_us(), (one.last_j - one.first_j) / (one.last_s - one.first_s), run.mean_w()});
  }
  return checks;
}

}  // namespace rackwright::test
