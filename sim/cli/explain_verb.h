#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Prints what the schema says about a parameter, or about the whole scenario language; of a scenario's file, which side of its
/// disaggregated models binds.
class ExplainVerb final : public Verb {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override { return "explain a parameter of the scenario language, or what binds in a scenario"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  ExitCode explain_scenario(Console& console) const;

  std::string path_;
  std::vector<std::string> settings_;
};

}  // namespace rackwright::cli
