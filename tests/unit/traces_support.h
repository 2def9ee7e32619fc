#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/diagnostic.h"
#include "tests/support/catch.h"
#include "traces/readers/open_trace.h"

namespace rackwright::traces {

/// Everything that opening and reading a trace gives.
struct Reading {
  Diagnostics diagnostics;
  std::unique_ptr<TraceSource> source;
  std::vector<Request> requests;

  bool opened() const { return source != nullptr; }
  const TraceReport& report() const { return source->report(); }
  std::uint64_t rows(RowCause cause) const { return report().counts.rows(cause); }
  std::string_view model(std::size_t i) const { return source->name(requests.at(i).model); }
  std::string_view request_class(std::size_t i) const { return source->name(requests.at(i).request_class); }
  double arrival_s(std::size_t i) const { return requests.at(i).arrival.seconds(); }
  /// Every message, one a line.
  std::string messages() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.all()) text += to_string(diagnostic) + "\n";
    return text;
  }
};

inline Reading drain(std::unique_ptr<TraceSource> source, Diagnostics diagnostics) {
  Reading reading{std::move(diagnostics), std::move(source), {}};
  Request request;
  while (reading.source && reading.source->next(request)) reading.requests.push_back(request);
  return reading;
}

/// Reads a trace written in a test.
inline Reading read_text(std::string_view text, const TraceOptions& options = {}) {
  Diagnostics diagnostics;
  auto source = open_trace_bytes("log", text, options, diagnostics);
  return drain(std::move(source), std::move(diagnostics));
}

inline Reading read_file(const std::string& path, const TraceOptions& options = {}) {
  Diagnostics diagnostics;
  auto source = open_trace(path, options, diagnostics);
  return drain(std::move(source), std::move(diagnostics));
}

}  // namespace rackwright::traces
