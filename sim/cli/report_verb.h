#pragma once

#include <string>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Writes the report of a run again, from its stream alone: also of a run that was interrupted.
class ReportVerb final : public Verb {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override { return "write the report of a run"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string run_;
  std::string output_;
};

}  // namespace rackwright::cli
