#pragma once

#include <string>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Describes a topology file: counts, diameter, bisection, oversubscription, and what single failures cost.
class TopologyInspectVerb final : public Verb {
 public:
  std::string_view name() const override { return "topology inspect"; }
  std::string_view summary() const override { return "describe a topology: diameter, bisection, what one failure costs"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string file_;
};

}  // namespace rackwright::cli
