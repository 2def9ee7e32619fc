#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "models/base/invariant.h"
#include "models/kernels/families/families.h"
#include "models/kernels/group/group_profile.h"
#include "models/kernels/measure/power_load.h"
#include "models/kernels/serve/serving_profile.h"

namespace {

using namespace rackwright;
using namespace rackwright::kernels;

struct Options {
  std::string out = "profile";
  std::vector<std::string> only;
  int every = 1;
  std::uint64_t seed = 20260101;
  bool pair = false;
  bool group = false;
  ServingOptions serving;
};

bool wanted(const Options& options, const std::string& family) {
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), family) != options.only.end();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What the device draws before this program has a context on it.
void write_idle_power(const Options& options, const DeviceFacts& facts, const Nvml& nvml, const ProfileHeader& header) {
  ProfileTable table = ProfileTable::untimed("idle", {"state", "sm_mhz", "mean_w", "energy_j", "window_s", "temperature_c"});
  const auto add = [&](const char* state) {
    const PowerReading idle = read_idle_power(nvml, 2.0);
    table.add_raw({state, number(idle.sm_mhz), number(idle.mean_w), number(idle.energy_j), number(idle.window_s), fmt::format("{}", idle.temperature_c)});
  };
  add("no_context");
  check(cudaFree(nullptr));
  const Arena arena(facts.memory_bytes / 2);
  add("context_and_half_of_memory");
  table.write(options.out, header);
}

void profile_one_gpu(const Options& options) {
  const DeviceFacts facts = device_facts(0);
  const Nvml nvml(facts.pci_bus_id);
  const ProfileHeader header = profile_header(facts, nvml, options.seed);
  if (wanted(options, "idle") && options.serving.requests.empty()) write_idle_power(options, facts, nvml, header);
  check(cudaSetDevice(0));
  const BlasLt blas_lt;
  const Blas blas;
  const Cudnn cudnn;
  Bench bench(facts, options.seed);
  // The rest is for libraries, graphs and the driver.
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  Arena arena(free - (std::size_t{6} << 30));
  ProfileSession session{facts, nvml, arena, bench, blas_lt, blas, cudnn, options.seed, options.every};
  if (!options.serving.requests.empty()) {
    profile_serving(session, options.serving, options.out, header);
    return;
  }
  for (const auto& family : one_gpu_families()) {
    if (!wanted(options, family.name)) continue;
    const auto start = std::chrono::steady_clock::now();
    std::vector<ProfileTable> tables;
    tables.reserve(4);
    try {
      family.measure(session, tables);
    } catch (const std::exception&) {
      for (const auto& table : tables) table.write(options.out, header);
      throw;
    }
    for (const auto& table : tables) {
      table.write(options.out, header);
      std::printf("%-24s %5zu rows  %6.1f s\n", table.family().c_str(), table.size(), seconds_since(start));
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures the operators of language-model inference on this machine's NVIDIA GPU into a profile folder"};
  app.add_option("-o,--out", options.out, "Folder to write into")->capture_default_str();
  app.add_option("--only", options.only, "Families to measure (idle launch host_copy layer gemm decode prefill grouped mla step energy throttle; with --pair: peer_copy peer_overlap pair_step pair_power; with --group: collective peer_matrix fan_in)")->delimiter(',');
  app.add_option("--every", options.every, "Measure every n-th shape only, as a trial")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of inputs and off-grid shapes")->capture_default_str();
  CLI::Option* pair = app.add_flag("--pair", options.pair, "Measure transfers and steps over GPUs 0 and 1 instead");
  app.add_flag("--group", options.group, "Measure collectives, and copies between more than two, over all GPUs of the machine instead")->excludes(pair);
  CLI::Option* serve = app.add_option("--serve", options.serving.requests, "Serve Llama-3.1-8B instead, one run for each of these lists of requests")->delimiter(',')->excludes(pair);
  app.add_option("--seconds", options.serving.seconds, "Serve only requests that arrive this early, as a trial")->needs(serve)->check(CLI::PositiveNumber);
  app.add_option("--warm-up", options.serving.warm_up_s, "Seconds of decode steps before each run")->needs(serve)->capture_default_str()->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    const GroupOptions several{options.out, options.only, options.every, options.seed};
    if (options.pair) profile_pair(several);
    else if (options.group) profile_group(several);
    else profile_one_gpu(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rackwright-profile: %s\n", error.what());
    return 3;
  }
  return 0;
}
