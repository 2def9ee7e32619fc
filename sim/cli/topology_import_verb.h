#pragma once

#include <string>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Reads a topology file, says what it was and what it holds, and writes it in the form that importers read back without loss.
class TopologyImportVerb final : public Verb {
 public:
  std::string_view name() const override { return "topology import"; }
  std::string_view summary() const override { return "read a topology of any known form and write it as GraphML"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string file_;
  std::string output_;
};

}  // namespace rackwright::cli
