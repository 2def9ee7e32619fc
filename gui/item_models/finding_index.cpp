#include "gui/item_models/finding_index.h"

#include <algorithm>

#include "gui/document/path_at.h"
#include "scenarios/schema/path.h"

namespace rackwright::gui {

FindingIndex::FindingIndex(const CheckResult& result) {
  for (const Diagnostic& finding : result.findings) {
    std::string problem;
    const scenarios::Path path = scenarios::parse_path(placeOf(*result.snapshot, finding), problem).value_or(scenarios::Path());
    for (std::size_t steps = 0; steps <= path.size(); ++steps) {
      const scenarios::Path head(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps));
      Place& place = places_[scenarios::to_string(head)];
      place.worst = std::max(place.worst, finding.severity);
      if (steps < path.size()) continue;
      if (!place.text.isEmpty()) place.text += QLatin1Char('\n');
      place.text += QString::fromStdString(finding.message);
      if (!finding.hint.empty()) place.text += QStringLiteral(" (%1)").arg(QString::fromStdString(finding.hint));
    }
  }
}

std::optional<Severity> FindingIndex::worst(const std::string& path) const {
  const auto found = places_.find(path);
  if (found == places_.end()) return std::nullopt;
  return found->second.worst;
}

QString FindingIndex::text(const std::string& path) const {
  const auto found = places_.find(path);
  return found == places_.end() ? QString() : found->second.text;
}

}  // namespace rackwright::gui
