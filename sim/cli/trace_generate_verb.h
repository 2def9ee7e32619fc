#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/diagnostic.h"
#include "sim/cli/verb.h"
#include "traces/generators/generator.h"

namespace rackwright::cli {

/// A built-in workload as a trace file, so that there is something to replay without a download.
class TraceGenerateVerb final : public Verb {
 public:
  std::string_view name() const override { return "trace generate"; }
  std::string_view summary() const override { return "write requests drawn from a built-in workload"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::optional<traces::GeneratorSpec> generator(Diagnostics& diagnostics) const;

  std::string workload_;
  std::string output_;
  std::string rate_, duration_;
  std::optional<std::uint64_t> count_;
  std::uint64_t seed_ = 1;
};

}  // namespace rackwright::cli
