#include "tests/differential/device_checks_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/differential/device_checks.h"

namespace rackwright::test {
namespace {

std::string summary_row(const char* kind, std::vector<DeviceCheck> checks) {
  std::ranges::sort(checks, {}, [](const DeviceCheck& check) { return std::abs(check.error()); });
  const DeviceCheck& middle = checks[checks.size() / 2];
  const DeviceCheck& worst = checks.back();
  return fmt::format("| {} | {} | {:.1f} % | {:+.1f} % | {} |\n", kind, checks.size(), std::abs(middle.error()) * 100, worst.error() * 100, worst.name);
}

std::string whole_steps() {
  std::string text =
      "\n## Whole steps on H200s against the sum of their operators\n\n"
      "Forward passes as one CUDA graph (`step.csv`; `pair_step.csv` over two GPUs with NCCL's all-reduces in the graph) against the\n"
      "cost model of the same batch without host time. Never used for calibration.\n\n"
      "| steps | number | median error | worst | which |\n|---|---:|---:|---:|---|\n";
  std::vector<DeviceCheck> one, two;
  for (const DeviceCheck& check : step_checks()) (check.name.find("-tp2") == std::string::npos ? one : two).push_back(check);
  return text + summary_row("Llama-3.1-8B, one GPU", one) + summary_row("Llama-3.1-70B at TP2", two);
}

std::string sustained() {
  std::string text =
      "\n## Rounds of steps under the power limit of one H200\n\n"
      "Llama-3.1-8B steps that follow each other for five seconds (`throttle.csv`) against the same steps under the clock control of\n"
      "the simulator, whose law comes from `energy.csv`. That was another card: cards draw up to a tenth more or less for the same work.\n\n"
      "| round | measured | modelled | error | measured | modelled | error |\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const DeviceCheck& c : throttle_checks()) {
    text += fmt::format("| {} | {:.2f} ms | {:.2f} ms | {:+.1f} % | {:.0f} W | {:.0f} W | {:+.1f} % |\n", c.name, c.measured_us * 1e-3, c.modelled_us * 1e-3,
                        c.error() * 100, c.measured_w, c.modelled_w, (c.modelled_w / c.measured_w - 1) * 100);
  }
  return text;
}

}  // namespace

std::string device_checks_page() { return whole_steps() + sustained(); }

}  // namespace rackwright::test
