// Runs in a real window: watched, paused, ended, and read down to their steps.
#include <QComboBox>
#include <QProgressBar>
#include <QTableView>

#include "gui/app/run_tabs.h"
#include "gui/charts/plot_view.h"
#include "gui/run/step_table_model.h"
#include "gui/views/run_view.h"
#include "gui/views/steps_page.h"
#include "tests/gui/support/await_run.h"
#include "tests/gui/support/window_driver.h"

using namespace rackwright;

namespace {

QString headline(const test::WindowDriver& user) { return user.find<QLabel>("runHeadline").text(); }

/// The page of a run with this name, made current.
bool turnTo(gui::RunView& run, const QString& name) {
  QTabWidget& pages = run.pages();
  for (int i = 0; i < pages.count(); ++i) {
    if (pages.tabText(i) == name && pages.isTabVisible(i)) return pages.setCurrentIndex(i), true;
  }
  return false;
}

}  // namespace

TEST_CASE("A run is watched while it goes on, paused, continued and cancelled, and its steps can be read") {
  test::WindowDriver user;
  user.window().document().openText(QStringLiteral("long.yaml"), test::longRunText);
  user.click(user.find("runButton"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  auto& progress = user.find<QProgressBar>("runProgress");
  test::awaitRun(run->session(), [&] { return headline(user) == QStringLiteral("Running") && progress.isVisible() && progress.maximum() > 0 && run->session().live(); });
  test::awaitRun(run->session(), [&] { return run->findChildren<gui::PlotView*>().size() >= 4; });
  CHECK(user.find<QLabel>("runEta").text().contains(QStringLiteral(" of 5,000,000 requests")));

  user.click(user.find("pauseRun"));
  CHECK(headline(user) == QStringLiteral("Paused"));
  user.click(user.find("pauseRun"));
  CHECK(headline(user) == QStringLiteral("Running"));
  const std::int64_t seen = run->session().live()->requests;
  test::awaitRun(run->session(), [&] { return run->session().live()->requests > seen; });
  user.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  test::awaitRun(run->session(), [&] { return run->session().standing() == gui::RunStanding::cancelled; });
  CHECK(headline(user) == QStringLiteral("Cancelled"));

  REQUIRE(turnTo(*run, QStringLiteral("Steps")));
  auto& table = user.find<QTableView>("steps");
  auto& model = run->steps().model();
  REQUIRE(model.rowCount() > 100);
  REQUIRE(user.wait([&] { return model.stretchAt(50) != nullptr; }));
  table.setCurrentIndex(model.index(50, 0));
  table.setFocus();
  user.press(Qt::Key_Return);
  REQUIRE(user.wait([&] { return user.find("stepTracks").isVisible(); }));
  // Back from the timeline to the row: the instant in the middle of what is shown is that of the row.
  user.find("stepTracks").setFocus();
  user.press(Qt::Key_Return);
  REQUIRE(turnTo(*run, QStringLiteral("Steps")));
  CHECK(table.currentIndex().row() == 50);
}

TEST_CASE("Who keeps no steps gets no table of them, and reads how to get one") {
  test::WindowDriver user;
  auto* keep = user.window().findChild<QAction*>(QStringLiteral("keepSteps"));
  REQUIRE(keep);
  keep->setChecked(false);
  user.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
  user.click(user.find("runButton"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  test::awaitRun(run->session(), [&] { return run->session().results() != nullptr; });
  CHECK_FALSE(turnTo(*run, QStringLiteral("Steps")));
  REQUIRE(turnTo(*run, QStringLiteral("Timeline")));
  CHECK_FALSE(user.find("stepTracks").isVisible());
  CHECK(user.find<QLabel>("timelineNote").text().contains(QStringLiteral("Keep every step")));
}
