#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Simulates one scenario into a run folder and shows its summary.
class RunVerb final : public Verb {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override { return "simulate a scenario into a run folder"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string scenario_;
  std::string output_;
  std::vector<std::string> settings_;
  std::optional<std::uint64_t> seed_;
  bool force_ = false;
  bool gate_ = false;
  bool walk_ = false;
  bool steps_ = false;
  bool statistics_ = false;
};

}  // namespace rackwright::cli
