#pragma once

#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/codec/codec.h"
#include "tests/support/sample.pb.h"

namespace rackwright::tests {

/// Every finding on its own line.
inline std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) text += to_string(diagnostic) + "\n";
  return text;
}

/// What reading "s.yaml" with this content finds; the two lines that every sample needs come first in it.
inline std::string findings(std::string_view yaml, scenarios::Format format = scenarios::Format::yaml) {
  test::Sample sample;
  Diagnostics diagnostics;
  scenarios::read_message("s.yaml", std::string(yaml), format, sample, diagnostics);
  return text_of(diagnostics);
}

}  // namespace rackwright::tests
