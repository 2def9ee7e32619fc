#pragma once

#include <memory>
#include <string>

#include "models/base/diagnostic.h"
#include "traces/readers/open_trace.h"

namespace CLI {
class App;
}

namespace rackwright::cli {

/// How the verbs of `trace` are told which log to read, and what to do with its oddities.
class TraceInput {
 public:
  void declare(CLI::App& app);
  /// Null, with errors in `diagnostics`, when the options or the file are wrong.
  std::unique_ptr<traces::TraceSource> open(Diagnostics& diagnostics) const;
  /// An error when the log itself would be written over.
  void forbid_output(const std::string& output, Diagnostics& diagnostics) const;

 private:
  std::string file_;
  std::string clock_period_;
  traces::TraceOptions options_;
};

}  // namespace rackwright::cli
