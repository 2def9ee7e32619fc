// The way of a first-time user through a real window, by mouse and keys.
#include <QComboBox>

#include "gui/app/run_tabs.h"
#include "gui/item_models/property_model.h"
#include "gui/views/run_view.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/await_run.h"
#include "tests/gui/support/window_driver.h"

using namespace rackwright;

TEST_CASE("The first run: open the template, change a value, see a problem come and go, run it, watch it, read it") {
  test::WindowDriver user;
  gui::ScenarioDocument& document = user.window().document();

  // Two clicks from an empty window to the first run; the first one opens the template.
  user.click(user.find("template:tutorial/first_run.yaml"));
  REQUIRE(document.isOpen());
  CHECK(document.title() == QStringLiteral("first_run.yaml"));
  REQUIRE(user.wait([&] { return user.find<QLabel>("problemsSummary").text().startsWith(QStringLiteral("Feasible")); }));
  CHECK(user.problems() == 0);

  // A model that does not fit one device: the problem appears.
  user.window().goTo("deployment[0].model.preset");
  auto& properties = user.find<QTreeView>("properties");
  properties.setFocus();
  user.press(Qt::Key_F2);
  auto* box = qobject_cast<QComboBox*>(QApplication::focusWidget());
  REQUIRE(box);
  box->lineEdit()->selectAll();
  user.type("llama-3.1-405b");
  user.press(Qt::Key_Return);
  REQUIRE(user.wait([&] { return document.current()->message().deployment(0).model().preset() == "llama-3.1-405b"; }));
  REQUIRE(user.wait([&] { return user.problems() > 0; }));

  // A double click on it goes to the place, in the properties and in the text.
  auto& problems = user.find<QTreeView>("problems");
  const QRect row = problems.visualRect(problems.model()->index(0, 0));
  QTest::mouseClick(problems.viewport(), Qt::LeftButton, {}, row.center());
  QTest::mouseDClick(problems.viewport(), Qt::LeftButton, {}, row.center());
  auto& text = user.find<QPlainTextEdit>("text");
  CHECK(text.textCursor().block().text().contains(QStringLiteral("llama-3.1-405b")));

  // Undone, the problem vanishes and the text has its first bytes.
  text.setFocus();
  user.press(Qt::Key_Z, Qt::ControlModifier);
  REQUIRE(user.wait([&] { return user.problems() == 0; }));
  CHECK_FALSE(document.isModified());
  CHECK_FALSE(text.toPlainText().contains(QStringLiteral("405b")));

  // Typing in the text changes the model of it.
  QTextCursor cursor = text.document()->find(QStringLiteral("rate: 8"));
  REQUIRE(!cursor.isNull());
  text.setTextCursor(cursor);
  user.type("rate: 9");
  REQUIRE(user.wait([&] { return document.current()->message().workload().rate() == 9; }));
  CHECK(document.undoStack().count() == 1);

  // The second click runs it.
  user.click(user.find("runButton"));
  REQUIRE(user.window().runs().current());
  gui::RunView& run = *user.window().runs().current();
  test::awaitRun(run.session(), [&] { return run.session().standing() == gui::RunStanding::finished; });
  CHECK(user.find<QLabel>("runHeadline").text() == QStringLiteral("Finished"));
  REQUIRE(run.session().results());
  REQUIRE(run.session().results()->record.summary);
  CHECK(run.session().results()->record.summary->requests.completed > 1000);
  for (int page = 0; page < run.pages().count(); ++page) {
    if (!run.pages().isTabVisible(page)) continue;
    run.pages().setCurrentIndex(page);
    QTest::qWait(50);
  }

  // The table sorts and filters.
  auto& filter = user.find<QLineEdit>("requestFilter");
  run.pages().setCurrentWidget(filter.parentWidget());
  filter.setFocus();
  user.type("output>=500 outcome=completed");
  REQUIRE(user.wait([&] { return user.find<QLabel>("requestCount").text().contains(QStringLiteral(" of ")); }));
}

TEST_CASE("Search goes to a parameter by keys alone") {
  test::WindowDriver user;
  user.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
  user.press(Qt::Key_K, Qt::ControlModifier);
  REQUIRE(user.wait([&] { return user.find("search").isVisible(); }));
  user.type("token budget");
  user.press(Qt::Key_Return);
  CHECK_FALSE(user.find("search").isVisible());
  auto& properties = user.find<QTreeView>("properties");
  CHECK(properties.currentIndex().data(gui::PropertyModel::PathRole).toString().endsWith(QStringLiteral("token_budget")));
}

TEST_CASE("Unsaved changes are asked about in the window, never in a box") {
  test::WindowDriver user;
  user.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
  auto& text = user.find<QPlainTextEdit>("text");
  text.setFocus();
  user.type("# mine");
  REQUIRE(user.wait([&] { return user.window().document().isModified(); }));
  user.window().close();
  CHECK(user.window().isVisible());
  CHECK(QApplication::activeModalWidget() == nullptr);
  CHECK(user.find<QLabel>("message").text().contains(QStringLiteral("unsaved")));
}

TEST_CASE("A scenario with two hundred errors shows them all and leads to each") {
  test::WindowDriver user;
  std::string text = "schema: rackwright/v1\nworkload: {generator: azure-conversation-2023}\nfacility: {racks: [{name: a, rack: hgx-h200-air}]}\ndeployment:\n";
  for (int i = 0; i < 200; ++i) text += "  - {pool: p" + std::to_string(i) + ", model: llama-3.1-8b, on: a, tensor_paralel: 2}\n";
  user.window().document().openText(QStringLiteral("errors.yaml"), text);
  REQUIRE(user.wait([&] { return user.problems() >= 200; }));
  auto& problems = user.find<QTreeView>("problems");
  const QModelIndex last = problems.model()->index(199, 0);
  problems.setCurrentIndex(last);
  problems.setFocus();
  user.press(Qt::Key_Return);
  CHECK(user.find<QPlainTextEdit>("text").textCursor().blockNumber() == 203);
  CHECK(user.find<QLabel>("problemsSummary").text().startsWith(QStringLiteral("200 errors")));
}

TEST_CASE("A run folder opens in a window without a scenario, and a broken one says why") {
  test::WindowDriver user;
  user.window().openPath(QStringLiteral(RACKWRIGHT_SOURCE_DIR "/tests/data/runs/tiny"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  test::awaitRun(run->session(), [&] { return run->session().results() != nullptr; });
  CHECK(user.find<QLabel>("runHeadline").text() == QStringLiteral("Finished"));
  CHECK_FALSE(user.find("outlineDock").isVisible());
  user.window().openPath(user.write("run.pb", "no stream"));
  gui::RunView* second = user.window().runs().current();
  REQUIRE(second != run);
  test::awaitRun(second->session(), [&] { return second->session().standing() == gui::RunStanding::unreadable; });
  CHECK_FALSE(second->session().detail().isEmpty());
}
