#include "gui/item_models/problems_model.h"

#include <QAbstractItemModelTester>

#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::ProblemsModel;

TEST_CASE("Problems stand by severity, then by line, and lead to their place") {
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  auto result = std::make_shared<gui::CheckResult>();
  result->snapshot = std::make_shared<const gui::ScenarioSnapshot>("t.yaml", test::hallText);
  result->findings = {{Severity::warning, {"t.yaml", 3, 1}, "seed", "of a value", ""},
                      {Severity::error, {"t.yaml", 12, 5}, "deployment.long.on", "of a pool", "do this"},
                      {Severity::error, {"t.yaml", 2, 1}, "", "of the file", ""}};
  model.setChecked(result);
  REQUIRE(model.rowCount() == 3);
  const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
  CHECK(cell(0, ProblemsModel::MessageColumn) == QStringLiteral("of the file"));
  CHECK(cell(1, ProblemsModel::PathColumn) == QStringLiteral("deployment.long.on"));
  CHECK(model.index(1, 0).data(ProblemsModel::PathRole) == QStringLiteral("deployment[1].on"));
  CHECK(model.index(1, 0).data(ProblemsModel::LineRole) == 12);
  CHECK(model.index(1, 0).data(ProblemsModel::HintRole) == QStringLiteral("do this"));
  CHECK(cell(2, ProblemsModel::LineColumn) == QStringLiteral("3"));
  model.setChecked(nullptr);
  CHECK(model.rowCount() == 0);
}
