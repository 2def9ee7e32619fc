#pragma once

#include <string>
#include <string_view>

#include "models/base/diagnostic.h"

namespace rackwright::scenarios {

class SourceMap;

/// Writes findings about the meaning of a scenario, each at the place in its file that the path names.
class Findings {
 public:
  Findings(const SourceMap& places, Diagnostics& diagnostics) : places_(places), diagnostics_(diagnostics) {}

  void error(std::string_view path, std::string message, std::string hint = {});
  void warning(std::string_view path, std::string message, std::string hint = {});
  /// For code that reports on its own.
  Location place(std::string_view path) const;
  Diagnostics& diagnostics() { return diagnostics_; }
  bool has_errors() const { return diagnostics_.has_errors(); }

 private:
  const SourceMap& places_;
  Diagnostics& diagnostics_;
};

}  // namespace rackwright::scenarios
