// How long the editor keeps anybody waiting. By hand only ("slow"): it needs a quiet machine.
#include <QElapsedTimer>
#include <QLineEdit>
#include <QTableView>
#include <QTabWidget>
#include <cmath>
#include <iostream>

#include "gui/app/run_tabs.h"
#include "gui/commands/scenario_editor.h"
#include "gui/views/requests_page.h"
#include "gui/views/run_view.h"
#include "tests/gui/support/await_run.h"
#include "tests/gui/support/stall_probe.h"
#include "tests/gui/support/window_driver.h"

using namespace rackwright;

namespace {

/// An interface that is away for longer than this is felt to hang (R. B. Miller, "Response time in man-computer
/// conversational transactions", 1968).
constexpr double longestStall_ms = 100;

/// `racks` racks of eight devices, each written by itself.
std::string hallOf(int racks) {
  std::string text = "schema: rackwright/v1\nname: Large hall\nworkload: {generator: azure-conversation-2023, rate: 400 /s, duration: 1 min}\nfacility:\n  racks:\n";
  for (int i = 0; i < racks; ++i) text += "    - {name: r" + std::to_string(i) + ", rack: hgx-h200-air}   # row " + std::to_string(i / 20) + "\n";
  return text + "deployment:\n  - {pool: chat, model: llama-3.1-8b, on: r0}\n";
}

void report(const char* what, const test::StallProbe& probe) {
  std::cout << what << ": " << std::lround(probe.busy_ms()) << " ms busy, " << std::lround(probe.wall_ms()) << " ms on the wall\n";
}

/// Does something, waits until the dust has settled, and tells the longest stall that is ours.
template <class Act>
double stallOf(const char* what, Act act, int settle_ms = 1200) {
  test::StallProbe probe;
  QTest::qWait(20);
  probe.begin();
  act();
  QTest::qWait(settle_ms);
  probe.look();
  report(what, probe);
  return probe.busy_ms();
}

}  // namespace

TEST_CASE("The window is there within a second") {
  QElapsedTimer since;
  since.start();
  test::WindowDriver user;
  std::cout << "window shown after: " << since.elapsed() << " ms on the wall\n";
  CHECK(since.elapsed() < 1000);
}

TEST_CASE("A scenario of 10,000 devices is opened, edited, searched and undone without a stall") {
  test::WindowDriver user;
  const QString file = user.write("large.yaml", hallOf(1250));
  CHECK(stallOf("opening 1,250 racks", [&] { user.window().openPath(file); }, 4000) < longestStall_ms);
  gui::ScenarioEditor editor(user.window().document());
  CHECK(stallOf("setting a value", [&] { REQUIRE(editor.set("facility.racks[700].rack.power_budget", "40 kW").isEmpty()); }, 3000) < longestStall_ms);
  std::string added;
  CHECK(stallOf("adding a rack", [&] { REQUIRE(editor.add("facility.racks", added).isEmpty()); }, 3000) < longestStall_ms);
  CHECK(stallOf("showing all racks", [&] { user.window().goTo("facility.racks"); }) < longestStall_ms);
  CHECK(stallOf("showing one rack", [&] { user.window().goTo("facility.racks[900]"); }) < longestStall_ms);
  auto& text = user.find<QPlainTextEdit>("text");
  text.setFocus();
  text.moveCursor(QTextCursor::End);
  CHECK(stallOf("typing", [&] { for (const char c : std::string("# a note")) QTest::keyClick(&text, c), QTest::qWait(15); }, 3000) < longestStall_ms);
  CHECK(stallOf("opening the search", [&] { user.press(Qt::Key_K, Qt::ControlModifier); }) < longestStall_ms);
  CHECK(stallOf("searching", [&] { for (const char c : std::string("budget")) QTest::keyClick(user.focus(), c); }) < longestStall_ms);
  user.press(Qt::Key_Escape);
  CHECK(stallOf("undoing everything", [&] { while (user.window().document().undoStack().canUndo()) user.window().document().undoStack().undo(), QTest::qWait(1); }, 3000) < longestStall_ms);
}

TEST_CASE("A run of a million requests is followed, opened, sorted and filtered without a stall") {
  test::WindowDriver user;
  user.window().openTemplate(QStringLiteral("benchmarks/million_requests.yaml"));
  QTest::qWait(1500);
  CHECK(stallOf("starting a run", [&] { user.click(user.find("runButton")); }) < longestStall_ms);
  gui::RunView& run = *user.window().runs().current();
  const gui::RunSession& session = run.session();
  CHECK(stallOf("following a million requests", [&] { test::awaitRun(session, [&] { return session.standing() == gui::RunStanding::loading; }, 280000); }, 0) < longestStall_ms);
  CHECK(stallOf("loading a million requests", [&] { test::awaitRun(session, [&] { return session.results() != nullptr; }, 280000); }) < longestStall_ms);
  REQUIRE(session.results()->requests->size() == 1000000);
  auto& filter = user.find<QLineEdit>("requestFilter");
  auto& table = user.find<QTableView>("requests");
  CHECK(stallOf("showing the table", [&] { run.pages().setCurrentWidget(filter.parentWidget()); }) < longestStall_ms);
  CHECK(stallOf("sorting a million rows", [&] { table.sortByColumn(9, Qt::DescendingOrder); }, 5000) < longestStall_ms);
  CHECK(stallOf("filtering a million rows", [&] { filter.setFocus(); user.type("ttft>100ms output>200"); }, 5000) < longestStall_ms);
  CHECK(stallOf("scrolling", [&] { for (int i = 0; i < 20; ++i) table.scrollToBottom(), QTest::qWait(5), table.scrollToTop(), QTest::qWait(5); }) < longestStall_ms);
  auto& steps = user.find("stepTracks");
  CHECK(stallOf("opening the timeline", [&] { run.pages().setCurrentWidget(steps.parentWidget()->parentWidget()); }) < longestStall_ms);
  steps.setFocus();
  CHECK(stallOf("zooming out to the whole run", [&] { for (int i = 0; i < 20; ++i) user.press(Qt::Key_Minus), QTest::qWait(30); }, 3000) < longestStall_ms);
  CHECK(stallOf("zooming in to single steps", [&] { for (int i = 0; i < 20; ++i) user.press(Qt::Key_Plus), QTest::qWait(30); }, 2000) < longestStall_ms);
  auto& rows = user.find<QTableView>("steps");
  CHECK(stallOf("scrolling a table of steps", [&] {
    run.pages().setCurrentWidget(rows.parentWidget());
    for (int i = 0; i < 20; ++i) rows.scrollToBottom(), QTest::qWait(10), rows.scrollToTop(), QTest::qWait(10);
  }) < longestStall_ms);
  for (int page = 0; page < run.pages().count(); ++page) {
    const std::string what = "page " + run.pages().tabText(page).toStdString();
    CHECK(stallOf(what.c_str(), [&] { run.pages().setCurrentIndex(page); }) < longestStall_ms);
  }
}
