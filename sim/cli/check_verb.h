#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Checks scenarios: schema, units, references, feasibility. All findings of each, not the first.
class CheckVerb final : public Verb {
 public:
  std::string_view name() const override { return "check"; }
  std::string_view summary() const override { return "check scenarios without simulating them"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::vector<std::string> scenarios_;
  std::vector<std::string> settings_;
  bool strict_ = false;
};

}  // namespace rackwright::cli
