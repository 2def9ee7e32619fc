#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "models/base/invariant.h"
#include "sim/cli/command_line.h"
#include "sim/cli/interrupt_watcher.h"
#include "sim/cli/progress_line.h"
#include "sim/cli/verbs.h"
#include "sim/report/text_table.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::cli;

namespace {

/// A verb that does what a test says.
class ScriptedVerb final : public Verb {
 public:
  ScriptedVerb(std::string name, std::function<ExitCode(Console&)> act) : name_(std::move(name)), act_(std::move(act)) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "do as a test says"; }
  void declare(CLI::App&) override {}
  ExitCode run(Console& console) override { return act_(console); }

 private:
  std::string name_;
  std::function<ExitCode(Console&)> act_;
};

struct Outcome {
  ExitCode code;
  std::string out, err;
};

Outcome run(const std::string& name, std::function<ExitCode(Console&)> act, std::vector<std::string> arguments) {
  std::ostringstream out, err;
  Console console(out, {}, err, {});
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<ScriptedVerb>(name, std::move(act)));
  const ExitCode code = CommandLine(std::move(verbs), console).run(std::move(arguments));
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("What a verb throws becomes an exit code by who is to blame") {
  const auto code_of = [](auto failure) {
    return run("act", [=](Console&) -> ExitCode { throw failure; }, {"act"});
  };
  const Outcome disk = code_of(EnvironmentError("the disk is full"));
  CHECK(disk.code == ExitCode::environment);
  CHECK(disk.err == "rackwright: error: the disk is full\n");
  CHECK(code_of(std::bad_alloc()).code == ExitCode::environment);
  const Outcome bug = code_of(InvariantViolation("a batch is never negative"));
  CHECK(bug.code == ExitCode::bug);
  CHECK(bug.err.find("bug in Rackwright, not in your input: a batch is never negative") != std::string::npos);
  CHECK(code_of(std::out_of_range("vector")).code == ExitCode::bug);
  for (const ExitCode code :
       {ExitCode::ok, ExitCode::gate_failed, ExitCode::bad_input, ExitCode::cancelled, ExitCode::stalled}) {
    CHECK(run("act", [=](Console&) { return code; }, {"act"}).code == code);
  }
}

TEST_CASE("Output that cannot be written is a failure of the environment") {
  const Outcome lost = run("act", [](Console& console) {
    console.out().setstate(std::ios::badbit);
    return ExitCode::ok;
  }, {"act"});
  CHECK(lost.code == ExitCode::environment);
}

TEST_CASE("A verb of two words lives in a group, and both take the output options") {
  Format format{};
  ProgressMode progress{};
  const auto act = [&](Console& console) {
    format = console.format();
    progress = console.progress();
    return ExitCode::ok;
  };
  CHECK(run("trace inspect", act, {"trace", "inspect", "--format", "json", "--progress", "json"}).code == ExitCode::ok);
  CHECK(format == Format::json);
  CHECK(progress == ProgressMode::json);
  CHECK(run("trace inspect", act, {"trace", "inspect"}).code == ExitCode::ok);
  CHECK(format == Format::text);
  CHECK(progress == ProgressMode::none);  // Not a terminal.
  CHECK(run("trace inspect", act, {"trace"}).code == ExitCode::bad_input);
  CHECK(run("trace inspect", act, {"trace", "inspekt"}).code == ExitCode::bad_input);
  CHECK(run("trace inspect", act, {"inspect"}).code == ExitCode::bad_input);
}

TEST_CASE("Every verb of the program has a name of its own and a line of help") {
  std::vector<std::string> names;
  for (const auto& verb : all_verbs()) {
    CHECK_FALSE(verb->summary().empty());
    CHECK_FALSE(verb->summary().ends_with('.'));
    CHECK(std::ranges::find(names, verb->name()) == names.end());
    names.emplace_back(verb->name());
  }
  CHECK_FALSE(names.empty());
}

TEST_CASE("Diagnostics are shown one a line, with colour only where it is wanted") {
  Diagnostics diagnostics;
  diagnostics.error({"a.yaml", 4, 12}, "pool", "no rack is called 'b'", "did you mean 'a'?");
  diagnostics.warning({}, "", "no effect");
  std::ostringstream out, err, painted;
  Console(out, {}, err, {}).show(diagnostics);
  CHECK(err.str() == "a.yaml:4:12: error: pool: no rack is called 'b' (did you mean 'a'?)\nwarning: no effect\n");
  Console(out, {}, painted, {true, true}).show(diagnostics);
  CHECK(painted.str().starts_with("a.yaml:4:12: \x1b[1;31merror:\x1b[0m pool"));
}

TEST_CASE("Progress is a fraction of the requests, or else of the time") {
  CHECK(Progress{sim_time(5), 25, 100, {}}.fraction() == 0.25);
  CHECK(Progress{sim_time(5), 25, {}, sim_time(10)}.fraction() == 0.5);
  CHECK(Progress{sim_time(15), 25, {}, sim_time(10)}.fraction() == 1);
  CHECK_FALSE(Progress{sim_time(5), 25, {}, {}}.fraction());
}

TEST_CASE("Progress for programs is a JSON object a line, and none says nothing") {
  std::string text;
  run("act", [&](Console& console) {
    ProgressLine(console).update({sim_time(2.5), 25, 100, {}});
    return ExitCode::ok;
  }, {"act", "--progress", "json"}).err.swap(text);
  CHECK(text.starts_with(
      R"({"sim_time_s": 2.5, "requests_done": 25, "requests_total": 100, "fraction": 0.2500, "elapsed_s": )"));
  CHECK(text.ends_with("}\n"));
  run("act", [&](Console& console) {
    ProgressLine line(console);
    for (int i = 0; i < 1'000; ++i) line.update({sim_time(i), i, {}, {}});
    return ExitCode::ok;
  }, {"act"}).err.swap(text);
  CHECK(text.empty());
}

TEST_CASE("The first interrupt asks a run to stop") {
  const InterruptWatcher watcher;
  CHECK_FALSE(watcher.token().stop_requested());
  kill(getpid(), SIGINT);  // To the process, as a terminal does.
  for (int i = 0; i < 500 && !watcher.token().stop_requested(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(watcher.token().stop_requested());
}

TEST_CASE("A watcher that saw no interrupt ends quietly, and another one can follow") {
  for (int i = 0; i < 20; ++i) {
    const InterruptWatcher watcher;
    CHECK_FALSE(watcher.token().stop_requested());
  }
}

TEST_CASE("A table on a terminal aligns what is wider than its bytes say") {
  report::TextTable table({"", "p50"});
  table.add({"TTFT", "41.7 µs"});
  table.add({"End to end", "3 s"});
  CHECK(table.text(report::TextStyle::plain) ==
        "                p50\n"
        "TTFT        41.7 µs\n"
        "End to end      3 s\n");
}
