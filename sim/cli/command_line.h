#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/cli/console.h"
#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Finds the verb, gives it its options and runs it. Whatever happens ends in one of the exit codes;
/// this is the one place that maps exceptions to them.
class CommandLine {
 public:
  CommandLine(std::vector<std::unique_ptr<Verb>> verbs, Console& console) : verbs_(std::move(verbs)), console_(console) {}

  /// `arguments` without the program's name.
  ExitCode run(std::vector<std::string> arguments);

 private:
  ExitCode parse_and_run(std::vector<std::string> arguments);
  ExitCode unknown_verb(const std::string& word);
  std::string overview() const;

  std::vector<std::unique_ptr<Verb>> verbs_;
  Console& console_;
};

}  // namespace rackwright::cli
