#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Prints one entry of the catalog, every figure with its source and how sure that is.
class ShowVerb final : public Verb {
 public:
  std::string_view name() const override { return "show"; }
  std::string_view summary() const override { return "show an entry of the catalog with its sources"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string kind_;
  std::string name_;
};

}  // namespace rackwright::cli
