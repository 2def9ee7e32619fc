#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Builds a topology of the catalog, by default or with parameters changed, and describes or writes it.
class TopologyBuildVerb final : public Verb {
 public:
  std::string_view name() const override { return "topology build"; }
  std::string_view summary() const override { return "build a topology from a few numbers and describe it"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string name_;
  std::vector<std::string> settings_;
  std::string output_;
};

}  // namespace rackwright::cli
