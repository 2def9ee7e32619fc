#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "models/base/invariant.h"
#include "models/kernels/families/families.h"
#include "models/kernels/families/gpu_session.h"
#include "models/kernels/group/group_profile.h"
#include "models/kernels/measure/power_load.h"
#include "models/kernels/serve/serving_profile.h"
#include "models/kernels/serve/split_profile.h"

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
void write_idle_power(const Options& options, const DeviceFacts& facts) {
  const Nvml nvml(facts.pci_bus_id);
  ProfileTable table = ProfileTable::untimed("idle", {"state", "sm_mhz", "mean_w", "energy_j", "window_s", "temperature_c"});
  const auto add = [&](const char* state) {
    const PowerReading idle = read_idle_power(nvml, 2.0);
    table.add_raw({state, number(idle.sm_mhz), number(idle.mean_w), number(idle.energy_j), number(idle.window_s), fmt::format("{}", idle.temperature_c)});
  };
  add("no_context");
  check(cudaFree(nullptr));
  const Arena arena(facts.memory_bytes / 2);
  add("context_and_half_of_memory");
  table.write(options.out, profile_header(facts, nvml, options.seed));
}

void profile_one_gpu(const Options& options) {
  const DeviceFacts facts = device_facts(0);
  if (wanted(options, "idle") && options.serving.requests.empty()) write_idle_power(options, facts);
  check(cudaSetDevice(0));
  GpuSession gpu(facts, options.seed, options.every);
  ProfileSession& session = gpu.session();
  const ProfileHeader header = gpu.header();
  if (!options.serving.requests.empty()) {
    (options.serving.split == ServingSplit::together ? profile_serving : profile_split)(session, options.serving, options.out, header);
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
  app.add_option("--warm-up", options.serving.warm_up_s, "Seconds of decode steps before each run")->needs(serve)->capture_default_str()->check(CLI::PositiveNumber);
  const std::map<std::string, ServingSplit> splits{{"prompts", ServingSplit::prompts}, {"halves", ServingSplit::halves}, {"pair", ServingSplit::pair}};
  CLI::Option* split = app.add_option("--split", options.serving.split, "Serve prompts alone, prompts and then tokens on one GPU, or both at once on GPUs 0 and 1")->needs(serve)->transform(CLI::CheckedTransformer(splits));
  const std::map<std::string, KvPath> paths{{"nowhere", KvPath::nowhere}, {"device", KvPath::device}, {"host", KvPath::host}, {"peer", KvPath::peer}, {"in_turn", KvPath::in_turn}, {"waits", KvPath::waits}};
  app.add_option("--kv", options.serving.kv, "Where keys and values of prompts go, a run for each (of a pair: peer, in_turn)")->delimiter(',')->needs(split)->transform(CLI::CheckedTransformer(paths));
  app.add_option("--wait", options.serving.wait_per_copy_s, "Seconds that each of a prompt's 64 copies waits, for --kv waits")->needs(split)->capture_default_str()->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    const GroupOptions several{options.out, options.only, options.every, options.seed};
    if (options.pair) profile_pair(several);
    else if (options.group) profile_group(several);
    else if (options.serving.split == ServingSplit::pair) profile_serving_pair(options.serving, options.out, options.seed);
    else profile_one_gpu(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rackwright-profile: %s\n", error.what());
    return 3;
  }
  return 0;
}
