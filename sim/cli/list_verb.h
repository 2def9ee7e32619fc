#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Names with a line each: devices, models, racks, workloads, policies, trace formats.
class ListVerb final : public Verb {
 public:
  std::string_view name() const override { return "list"; }
  std::string_view summary() const override { return "list what the catalog holds"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string kind_;
};

}  // namespace rackwright::cli
