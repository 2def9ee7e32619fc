#pragma once

#include <QString>
#include <string>
#include <vector>

#include "gui/document/scenario_snapshot.h"

namespace rackwright::scenarios {
class Catalog;
}

namespace rackwright::gui {

/// Something that can be found and gone to.
struct SearchEntry {
  enum class Kind { action, place, parameter, catalog, scenario };

  Kind kind = Kind::place;
  QString title;
  QString detail;      ///< Shown beside it.
  QString words;       ///< Searched, not shown: the help text.
  std::string target;  ///< A path; "kind/name" of the catalog; a library path; an action's id.
};

/// Every place and parameter of the scenario, given or possible; of long lists, what is given.
std::vector<SearchEntry> placesOf(const ScenarioSnapshot& scenario);
/// Everything in the catalog.
std::vector<SearchEntry> catalogEntries(const scenarios::Catalog& catalog);

/// The entries in which every word of the query occurs, the best first, at most `limit`. An empty query gives the
/// first entries as they stand.
std::vector<const SearchEntry*> findEntries(const std::vector<SearchEntry>& entries, const QString& query, std::size_t limit);

}  // namespace rackwright::gui
