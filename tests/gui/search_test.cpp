#include <QAbstractItemModelTester>

#include "gui/item_models/search_model.h"
#include "scenarios/catalog/catalog.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::SearchEntry;
using gui::SearchModel;

namespace {

std::vector<SearchEntry> everything() {
  std::vector<SearchEntry> entries = gui::placesOf(gui::ScenarioSnapshot("t.yaml", test::hallText));
  for (SearchEntry& entry : gui::catalogEntries(scenarios::Catalog())) entries.push_back(std::move(entry));
  return entries;
}

std::string best(const std::vector<SearchEntry>& entries, const QString& query) {
  const auto found = gui::findEntries(entries, query, 5);
  return found.empty() ? std::string() : found.front()->target;
}

}  // namespace

TEST_CASE("Fields are found by name, by value, by what they do, given or not") {
  const std::vector<SearchEntry> entries = everything();
  CHECK(best(entries, QStringLiteral("long token budget")) == "deployment[1].scheduler.token_budget");
  CHECK(best(entries, QStringLiteral("sarathi policy")) == "deployment[1].scheduler.policy");
  CHECK(best(entries, QStringLiteral("h200-sxm")) == "device/h200-sxm");
  CHECK(best(entries, QStringLiteral("seed of every random stream")) == "seed");
  CHECK(best(entries, QStringLiteral("ttft p90")) == "slo.ttft_p90");
  CHECK(best(entries, QStringLiteral("no such thing at all")).empty());
}

TEST_CASE("The list shows the best fits of its query") {
  SearchModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setEntries(everything());
  const int all = model.rowCount();
  CHECK(all > 20);
  model.setQuery(QStringLiteral("power budget"));
  CHECK(model.rowCount() >= 1);
  CHECK(model.entryAt(model.index(0, 0))->target == "facility.racks[1].rack.power_budget");
  CHECK(model.index(0, 0).data(SearchModel::DetailRole) == QStringLiteral("40 kW"));
  model.setQuery(QStringLiteral("zzzz"));
  CHECK(model.rowCount() == 0);
  model.setQuery({});
  CHECK(model.rowCount() == all);
}
