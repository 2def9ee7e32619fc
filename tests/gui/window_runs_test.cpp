// Runs in a real window: watched, paused, ended, and read down to their steps.
#include <signal.h>

#include <QDesktopServices>
#include <QProgressBar>
#include <QTableView>
#include <QUrl>

#include "gui/app/run_tabs.h"
#include "gui/charts/plot_view.h"
#include "gui/charts/request_gantt.h"
#include "gui/charts/shares_bar.h"
#include "gui/run/step_table_model.h"
#include "gui/views/run_view.h"
#include "gui/views/steps_page.h"
#include "tests/gui/support/await_run.h"
#include "tests/gui/support/window_driver.h"

using namespace rackwright;

namespace {

/// Stands in for the browser.
class UrlCatcher final : public QObject {
  Q_OBJECT

 public:
  const QUrl& taken() const { return taken_; }

 public Q_SLOTS:
  void take(const QUrl& url) { taken_ = url; }

 private:
  QUrl taken_;
};

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

TEST_CASE("A simulator that is killed leaves the window up, with the reason and what was simulated until then") {
  test::WindowDriver user;
  user.window().document().openText(QStringLiteral("long.yaml"), test::longRunText);
  user.click(user.find("runButton"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  test::awaitRun(run->session(), [&] { return run->session().live() && run->session().live()->requests > 5000; });
  REQUIRE(::kill(static_cast<pid_t>(run->session().process().processId()), SIGKILL) == 0);
  test::awaitRun(run->session(), [&] { return run->session().standing() == gui::RunStanding::crashed; });
  CHECK(headline(user) == QStringLiteral("Crashed"));
  CHECK(user.find<QLabel>("runDetail").text().contains(QStringLiteral("signal 9")));
  CHECK(user.find<QLabel>("runDetail").isVisible());
  CHECK(turnTo(*run, QStringLiteral("Requests")));
  CHECK(turnTo(*run, QStringLiteral("Charts")));
  CHECK(user.window().isVisible());
}

TEST_CASE("A scenario that is refused shows what the simulator said, and the run button works again") {
  test::WindowDriver user;
  user.window().document().openText(QStringLiteral("bad.yaml"), "schema: rackwright/v1\nworklod: {}\n");
  user.click(user.find("runButton"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  test::awaitRun(run->session(), [&] { return run->session().standing() == gui::RunStanding::failed; });
  CHECK(headline(user) == QStringLiteral("Failed"));
  CHECK(user.find<QLabel>("runDetail").text().contains(QStringLiteral("error:")));
  CHECK(run->pages().tabText(run->pages().currentIndex()) == QStringLiteral("Log"));
  CHECK(user.find("runButton").isEnabled());
}

TEST_CASE("Results tell where they come from, show the life of a request, and open their report") {
  test::WindowDriver user;
  UrlCatcher catcher;
  QDesktopServices::setUrlHandler(QStringLiteral("file"), &catcher, "take");
  user.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
  user.click(user.find("runButton"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  test::awaitRun(run->session(), [&] { return run->session().results() != nullptr; });
  REQUIRE(turnTo(*run, QStringLiteral("Overview")));
  QStringList shares;
  for (const auto* bar : run->findChildren<gui::SharesBar*>()) shares.push_back(bar->accessibleDescription());
  CHECK(shares.join(QLatin1Char(' ')).contains(QStringLiteral("measured")));

  REQUIRE(turnTo(*run, QStringLiteral("Requests")));
  auto& table = user.find<QTableView>("requests");
  REQUIRE(user.wait([&] { return table.model()->index(42, 0).data().toString() == QStringLiteral("42"); }));  // In order.
  table.setCurrentIndex(table.model()->index(42, 0));
  CHECK(run->findChild<gui::RequestGantt*>()->accessibleName().startsWith(QStringLiteral("Request 42  ·  completed")));

  user.click(user.find("openReport"));
  CHECK(catcher.taken() == QUrl::fromLocalFile(run->session().folder() + QStringLiteral("/report.html")));
  QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
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

#include "window_runs_test.moc"
