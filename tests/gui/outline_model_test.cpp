#include "gui/item_models/outline_model.h"

#include <QAbstractItemModelTester>

#include "gui/commands/scenario_editor.h"
#include "gui/document/scenario_document.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::OutlineModel;

namespace {

/// "Title (summary)" of every row, indented by depth; absent sections in brackets.
std::string drawn(const OutlineModel& model, const QModelIndex& parent = {}, int depth = 0) {
  std::string text;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, 0, parent);
    const gui::OutlineItem& item = *model.contentAt(index);
    const std::string title = item.title.toStdString();
    text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + (item.given ? title : "[" + title + "]");
    if (!item.summary.isEmpty()) text += " (" + item.summary.toStdString() + ")";
    text += "\n" + drawn(model, index, depth + 1);
  }
  return text;
}

struct Fixture {
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor{document};
  OutlineModel model{document};
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

}  // namespace

TEST_CASE("The outline shows sections, items by name and groups that say more than their preset") {
  Fixture f;
  CHECK(f.model.rowCount() == 0);
  f.document.openText(QStringLiteral("t.yaml"), test::hallText);
  const std::string text = drawn(f.model);
  INFO(text);
  CHECK(text.find("Review\n") == 0);
  CHECK(text.find("  Facility (2 racks)\n    Racks (2)\n      a (hgx-h200-air)\n      b (hgx-h200-air)\n        Rack (hgx-h200-air · 40 kW)\n") != std::string::npos);
  CHECK(text.find("  Deployment (2)\n    chat (llama-3.1-8b · a)\n    long (llama-3.1-8b · b · sarathi)\n") != std::string::npos);
  CHECK(text.find("  [Routing]\n") != std::string::npos);
  CHECK(text.find("  SLO (500 ms · 40 ms)\n") != std::string::npos);
}

TEST_CASE("The outline follows every edit by rows that come and go") {
  Fixture f;
  f.document.openText(QStringLiteral("t.yaml"), test::hallText);
  const QPersistentModelIndex chat = f.model.indexOfPath("deployment[0]");
  int resets = 0;
  QObject::connect(&f.model, &OutlineModel::modelReset, [&] { ++resets; });
  std::string added;
  REQUIRE(f.editor.add("deployment", added).isEmpty());
  REQUIRE(f.editor.set("routing", "prefix-aware").isEmpty());
  REQUIRE(f.editor.set("deployment[0].pool", "talk").isEmpty());
  CHECK(chat.isValid());
  CHECK(chat.data() == QStringLiteral("talk"));
  REQUIRE(f.editor.unset("deployment[1]").isEmpty());
  REQUIRE(f.editor.move("deployment[1]", 0).isEmpty());
  f.editor.type(f.document.current()->text() + "limits: {");  // Without form: the outline stays.
  CHECK(f.model.indexOfPath("deployment[1]").isValid());
  while (f.document.undoStack().canUndo()) f.document.undoStack().undo();
  CHECK(resets == 0);
  Fixture fresh;
  fresh.document.openText(QStringLiteral("t.yaml"), test::hallText);
  CHECK(drawn(f.model) == drawn(fresh.model));
}

TEST_CASE("A place without a row of its own leads to the one around it") {
  Fixture f;
  f.document.openText(QStringLiteral("t.yaml"), test::hallText);
  CHECK(f.model.indexOfPath("deployment[1].scheduler.policy").data(OutlineModel::PathRole) == QStringLiteral("deployment[1].scheduler"));
  CHECK(f.model.indexOfPath("deployment[7].on").data(OutlineModel::PathRole) == QStringLiteral("deployment"));
  CHECK(f.model.indexOfPath("seed").data(OutlineModel::PathRole) == QString());
}

TEST_CASE("Findings mark a row and every row around it") {
  Fixture f;
  f.document.openText(QStringLiteral("t.yaml"), test::hallText);
  auto result = std::make_shared<gui::CheckResult>();
  result->snapshot = f.document.current();
  result->findings = {{Severity::warning, {}, "deployment.long.scheduler.token_budget", "w", ""}, {Severity::error, {}, "facility.racks[1].rack", "e", ""}};
  f.model.setFindings(gui::FindingIndex(*result));
  const auto severity = [&](const std::string& path) { return f.model.indexOfPath(path).data(OutlineModel::SeverityRole); };
  CHECK(severity("deployment[1].scheduler") == static_cast<int>(Severity::warning));
  CHECK(severity("deployment") == static_cast<int>(Severity::warning));
  CHECK(severity("") == static_cast<int>(Severity::error));
  CHECK_FALSE(severity("deployment[0]").isValid());
}
