#pragma once

#include <string_view>

#include "sim/cli/exit_code.h"

namespace CLI {
class App;
}

namespace rackwright::cli {

class Console;

/// One command of the program, such as "report" or "trace inspect": a class and a file of its own, and
/// one line in verbs.cpp.
///
/// `declare` binds options to members; when `run` is called they hold what the command line said.
/// Results go to console.out(), everything else to console.err(). Input problems are shown as
/// diagnostics and answered with ExitCode::bad_input. What is thrown is mapped in one place
/// (command_line.cpp): EnvironmentError to 3, InvariantViolation and everything unexpected to 70.
class Verb {
 public:
  virtual ~Verb() = default;

  /// The words after the program's name; a group ("trace") is made from the first of two.
  virtual std::string_view name() const = 0;
  /// What it does, in a line of help: starts with a verb, ends without a full stop.
  virtual std::string_view summary() const = 0;
  virtual void declare(CLI::App& app) = 0;
  virtual ExitCode run(Console& console) = 0;
};

}  // namespace rackwright::cli
