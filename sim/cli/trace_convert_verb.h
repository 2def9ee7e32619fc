#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/cli/trace_input.h"
#include "sim/cli/verb.h"
#include "traces/transforms/transforms.h"

namespace rackwright::cli {

/// A request log in Rackwright's own form, changed on the way where that is asked for.
class TraceConvertVerb final : public Verb {
 public:
  std::string_view name() const override { return "trace convert"; }
  std::string_view summary() const override {
    return "write a request log in the canonical form, sliced, scaled or clipped";
  }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  traces::TransformSpec transforms(Diagnostics& diagnostics) const;

  TraceInput input_;
  std::string output_;
  std::string from_, to_, spread_ticks_;
  std::uint64_t skip_ = 0;
  std::optional<std::uint64_t> count_;
  double scale_time_ = 1;
  traces::LengthLimits limits_;
  std::optional<std::uint64_t> seed_;
};

}  // namespace rackwright::cli
