#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Prints what the schema says about a parameter, or about the whole scenario language.
class ExplainVerb final : public Verb {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override { return "explain a parameter of the scenario language"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string path_;
};

}  // namespace rackwright::cli
