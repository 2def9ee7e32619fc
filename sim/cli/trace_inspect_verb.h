#pragma once

#include "sim/cli/trace_input.h"
#include "sim/cli/verb.h"

namespace rackwright::cli {

/// What a request log holds, what of it is unusable, and what its stream of requests looks like.
class TraceInspectVerb final : public Verb {
 public:
  std::string_view name() const override { return "trace inspect"; }
  std::string_view summary() const override { return "describe a request log: rows, faults, arrivals, lengths, prefixes"; }
  void declare(CLI::App& app) override { input_.declare(app); }
  ExitCode run(Console& console) override;

 private:
  TraceInput input_;
};

}  // namespace rackwright::cli
