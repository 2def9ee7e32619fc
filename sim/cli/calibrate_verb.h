#pragma once

#include <string>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Reads measured operators and says how well the cost model made from them fits points that it was not made from.
class CalibrateVerb final : public Verb {
 public:
  std::string_view name() const override { return "calibrate"; }
  std::string_view summary() const override { return "fit a device to measured operators, and say how well it fits"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string profile_;
  std::string device_;
};

}  // namespace rackwright::cli
