#include "topologies/importers/import_report.h"

#include <utility>

#include <fmt/format.h>

namespace rackwright::topologies {

namespace {
constexpr int most_findings = 100;
}

ImportReport::~ImportReport() {
  if (reported_ > most_findings)
    diagnostics_.note({file_}, {}, fmt::format("{} more findings are not shown", reported_ - most_findings));
}

bool ImportReport::may_add() { return ++reported_ <= most_findings; }

void ImportReport::error(int line, int column, std::string message, std::string hint) {
  // The first error is shown whatever came before it.
  if (may_add() || errors_ == 0) diagnostics_.error({file_, line, column}, {}, std::move(message), std::move(hint));
  ++errors_;
}

void ImportReport::warning(int line, int column, std::string message, std::string hint) {
  if (may_add()) diagnostics_.warning({file_, line, column}, {}, std::move(message), std::move(hint));
}

void ImportReport::note(int line, int column, std::string message, std::string hint) {
  if (may_add()) diagnostics_.note({file_, line, column}, {}, std::move(message), std::move(hint));
}

}  // namespace rackwright::topologies
