#include "scenarios/spec/findings.h"

#include <utility>

#include "scenarios/codec/source_map.h"

namespace rackwright::scenarios {

void Findings::error(std::string_view path, std::string message, std::string hint) {
  diagnostics_.error(places_.find(path), std::string(path), std::move(message), std::move(hint));
}

void Findings::warning(std::string_view path, std::string message, std::string hint) {
  diagnostics_.warning(places_.find(path), std::string(path), std::move(message), std::move(hint));
}

Location Findings::place(std::string_view path) const { return places_.find(path); }

}  // namespace rackwright::scenarios
