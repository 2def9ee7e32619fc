#pragma once

#include <string>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Writes a topology of any known kind as GraphML, SimGrid platform or Graphviz.
class TopologyExportVerb final : public Verb {
 public:
  std::string_view name() const override { return "topology export"; }
  std::string_view summary() const override { return "write a topology as GraphML, SimGrid platform or Graphviz"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string file_;
  std::string output_;
};

}  // namespace rackwright::cli
