// Whole runs of the program, from the shell's view: load, simulation and all run files included.
//
//   bench_runs [REPETITIONS]     RACKWRIGHT_DATA names the folder with the traces
//
// Says for each case the median and least wall time, the peak memory, and what was simulated; and holds the
// files of two runs, and of a jump and a walk, to the same bytes.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  std::string scenario;
  bool needs_data = false;
};

struct Cost {
  double wall_s = 0;
  double peak_mb = 0;
  int status = 0;
};

/// Runs the program and waits for it; its output goes to files beside the run folder.
Cost run_program(const std::vector<std::string>& arguments, const fs::path& output) {
  const auto began = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const std::string out = output.string();
    if (!freopen((out + ".out").c_str(), "w", stdout) || !freopen((out + ".err").c_str(), "w", stderr)) _exit(127);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Cost cost;
  rusage usage{};
  wait4(child, &cost.status, 0, &usage);
  cost.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  cost.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return cost;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool same_files(const fs::path& a, const fs::path& b) {
  return std::ranges::all_of(fs::directory_iterator(a), [&](const fs::directory_entry& file) {
    return bytes_of(file.path()) == bytes_of(b / file.path().filename());
  });
}

/// Says what was measured at once, so that a child never inherits unwritten text.
void measure(const Case& one, const fs::path& folder, int repetitions) {
  const fs::path root = RACKWRIGHT_SOURCE_DIR;
  const auto arguments = [&](const std::string& name, bool walk) {
    std::vector<std::string> all{(fs::path(RACKWRIGHT_BINARY_DIR) / "bin/rackwright").string(), "run", (root / one.scenario).string(),
                                 "--out", (folder / name).string(), "--force", "--statistics"};
    if (walk) all.emplace_back("--walk");
    return all;
  };
  std::vector<double> walls;
  double peak_mb = 0;
  for (int i = 0; i < repetitions; ++i) {
    const Cost cost = run_program(arguments("jump", false), folder / "jump");
    if (cost.status != 0) {
      fmt::print("{}: failed: {}\n", one.name, bytes_of(folder / "jump.err"));
      return;
    }
    walls.push_back(cost.wall_s);
    peak_mb = std::max(peak_mb, cost.peak_mb);
  }
  std::ranges::sort(walls);
  run_program(arguments("again", false), folder / "again");
  const Cost walk = run_program(arguments("walk", true), folder / "walk");

  const auto summary = nlohmann::json::parse(bytes_of(folder / "jump/summary.json"));
  std::int64_t steps = 0;
  for (const auto& [name, pool] : summary["pools"].items()) steps += pool["steps"].get<std::int64_t>();
  const auto events = [&](const char* name) {
    const std::string text = bytes_of(folder / (std::string(name) + ".err"));
    return text.substr(text.find(": ") + 2, text.find(" events") - text.find(": ") - 2);
  };
  fmt::print("{}\n  wall {:.3f} s median, {:.3f} s least of {}; peak memory {:.1f} MB\n"
             "  {} requests, {} steps, {} events (walking: {} events, {:.3f} s)\n"
             "  same bytes twice: {}; jumping as walking: {}\n",
             one.name, walls[walls.size() / 2], walls.front(), repetitions, peak_mb, summary["requests"]["total"].get<std::int64_t>(),
             steps, events("jump"), events("walk"), walk.wall_s, same_files(folder / "jump", folder / "again") ? "yes" : "NO",
             same_files(folder / "jump", folder / "walk") ? "yes" : "NO");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  const std::vector<Case> cases{
      {"first run", "scenarios/library/tutorial/first_run.yaml"},
      {"Azure conversation, 8B on eight replicas", "scenarios/library/benchmarks/azure_conversation_8b.yaml", true},
      {"Azure conversation, 70B on two TP4 replicas", "scenarios/library/benchmarks/azure_conversation_70b.yaml", true},
      {"a million requests over 512 GPUs", "scenarios/library/benchmarks/million_requests.yaml"}};
  const fs::path folder = fs::temp_directory_path() / fmt::format("rackwright-bench-{}", getpid());
  fs::create_directories(folder);
  for (const Case& one : cases) {
    if (one.needs_data && !std::getenv("RACKWRIGHT_DATA")) {
      fmt::print("{}\n  skipped: RACKWRIGHT_DATA does not name the folder with the traces\n", one.name);
      continue;
    }
    measure(one, folder, repetitions);
  }
  fs::remove_all(folder);
}
