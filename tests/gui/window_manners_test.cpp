// What a desktop tool owes its users: files that are dropped, sizes that stay, a keyboard that reaches everything, and
// nothing lost when it dies.
#include <signal.h>

#include <QAccessible>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QUrl>
#include <cstdlib>
#include <set>

#include "gui/app/run_tabs.h"
#include "gui/charts/chart_palette.h"
#include "gui/views/run_view.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/await_run.h"
#include "tests/gui/support/window_driver.h"

using namespace rackwright;

namespace {

/// Drags a file over the window and lets it fall.
void drop(QWidget& window, const QString& path) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(path)});
  QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  REQUIRE(enter.isAccepted());
  QDropEvent fall(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &fall);
}

QPushButton& answer(const test::WindowDriver& user, const char* text) {
  QPushButton* found = nullptr;
  for (auto* button : user.find("messageBar").findChildren<QPushButton*>()) {
    if (button->text() == QLatin1String(text) && button->isVisible()) found = button;
  }
  REQUIRE(found);
  return *found;
}

/// Presses Tab, in the text Escape, until everything that the keyboard can reach must have been reached.
void walkByTab(test::WindowDriver& user) {
  std::set<QWidget*> reachable;
  for (QWidget* widget : user.window().findChildren<QWidget*>()) {
    if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) && widget->focusProxy() == nullptr) reachable.insert(widget);
  }
  REQUIRE_FALSE(reachable.empty());
  std::set<QWidget*> reached;
  for (std::size_t i = 0; i < 3 * reachable.size() + 10; ++i) {
    user.press(user.focus()->objectName() == QStringLiteral("text") ? Qt::Key_Escape : Qt::Key_Tab);
    reached.insert(QApplication::focusWidget());
  }
  for (QWidget* widget : reachable) {
    INFO(widget->metaObject()->className() << " " << widget->objectName().toStdString());
    CHECK(reached.count(widget) == 1);
    QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
    REQUIRE(told);
    const bool named = !told->text(QAccessible::Name).isEmpty() || qobject_cast<QTabBar*>(widget) != nullptr;
    CHECK(named);
  }
}

constexpr const char* folderVariable = "RACKWRIGHT_TEST_RECOVERY";

}  // namespace

TEST_CASE("Files that are dropped go where they belong: a scenario, a request log, a model, a network, a run") {
  test::WindowDriver user;
  gui::ScenarioDocument& document = user.window().document();
  drop(user.window(), user.write("review.yaml", test::hallText));
  REQUIRE(document.isOpen());
  CHECK(document.title() == QStringLiteral("review.yaml"));
  drop(user.window(), user.write("log.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"));
  CHECK(document.current()->message().workload().trace().file() == "log.csv");
  QDir().mkpath(user.path("Qwen3-32B"));
  drop(user.window(), user.write("Qwen3-32B/config.json", "{\"model_type\": \"qwen3\"}"));
  CHECK(document.current()->message().models().count("qwen3-32b") == 1);
  drop(user.window(), user.write("fabric.xml", "<platform version='4.1'/>"));
  CHECK(document.current()->message().fabric().scale_out().file() == "fabric.xml");
  drop(user.window(), QStringLiteral(RACKWRIGHT_SOURCE_DIR "/tests/data/runs/tiny"));
  REQUIRE(user.window().runs().current());
  // Each was one command with a text, and undoing them gives the file's first bytes.
  CHECK(document.undoStack().count() == 3);
  CHECK(document.undoStack().text(0).contains(QStringLiteral("log.csv")));
  while (document.undoStack().canUndo()) document.undoStack().undo();
  CHECK(document.current()->text() == test::hallText);
  CHECK_FALSE(document.isModified());
}

TEST_CASE("Revert takes the file's text, and can itself be undone") {
  test::WindowDriver user;
  gui::ScenarioDocument& document = user.window().document();
  user.window().openPath(user.write("review.yaml", test::hallText));
  auto& text = user.find<QPlainTextEdit>("text");
  text.setFocus();
  user.type("# mine ");
  REQUIRE(user.wait([&] { return document.isModified(); }));
  user.window().findChild<QAction*>(QStringLiteral("revert"))->trigger();
  CHECK(document.current()->text() == test::hallText);
  CHECK_FALSE(document.isModified());
  user.press(Qt::Key_Z, Qt::ControlModifier);
  CHECK(document.current()->text() == "# mine " + test::hallText);
}

TEST_CASE("The window comes back with the size, the docks and the theme that it was left with") {
  QSize left;
  int outline = 0;
  {
    test::WindowDriver user;
    user.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
    user.window().resize(1111, 777);
    user.window().resizeDocks({&user.find<QDockWidget>("outlineDock")}, {333}, Qt::Horizontal);
    QTest::qWait(50);
    REQUIRE_FALSE(gui::isDark(QApplication::palette()));
    user.window().findChild<QAction*>(QStringLiteral("theme:%1").arg(static_cast<int>(gui::ThemeChoice::dark)))->trigger();
    CHECK(gui::isDark(QApplication::palette()));
    left = user.window().size();
    outline = user.find("outlineDock").width();
    user.window().close();
    CHECK_FALSE(user.window().isVisible());
    gui::applyTheme(*qApp, gui::ThemeChoice::light);
  }
  test::WindowDriver again(test::WindowDriver::Settings::kept);
  again.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
  QTest::qWait(50);
  CHECK(again.window().size() == left);
  CHECK(again.window().theme() == gui::ThemeChoice::dark);
  CHECK(gui::isDark(QApplication::palette()));
  CHECK(std::abs(again.find("outlineDock").width() - outline) <= 2);
}

TEST_CASE("Tab alone goes around a run, and everything that it reaches has a name") {
  test::WindowDriver user;
  user.window().openPath(QStringLiteral(RACKWRIGHT_SOURCE_DIR "/tests/data/runs/tiny"));
  gui::RunView* run = user.window().runs().current();
  REQUIRE(run);
  test::awaitRun(run->session(), [&] { return run->session().results() != nullptr; });
  for (int page = 0; page < run->pages().count(); ++page) {
    if (!run->pages().isTabVisible(page)) continue;
    run->pages().setCurrentIndex(page);
    INFO("page " << run->pages().tabText(page).toStdString());
    QTest::qWait(50);
    walkByTab(user);
  }
}

TEST_CASE("Tab goes around a scenario as well; in its text, where Tab indents, Escape goes on") {
  test::WindowDriver user;
  user.window().openTemplate(QStringLiteral("tutorial/first_run.yaml"));
  user.window().goTo("deployment[0].model");
  user.press(Qt::Key_1, Qt::AltModifier);
  REQUIRE(user.focus() == &user.find("outline"));
  const std::string before = user.window().document().current()->text();
  walkByTab(user);
  CHECK(user.window().document().current()->text() == before);
}

TEST_CASE("Tab in the text indents by spaces, and a new line begins below the one before") {
  test::WindowDriver user;
  user.window().document().openText(QStringLiteral("a.yaml"), "schema: rackwright/v1\n");
  auto& text = user.find<QPlainTextEdit>("text");
  text.setFocus();
  text.moveCursor(QTextCursor::End);
  user.type("slo:");
  user.press(Qt::Key_Return);
  user.press(Qt::Key_Tab);
  user.type("ttft_p99: 1 s");
  user.press(Qt::Key_Return);
  user.type("tpot_p99: 1 s");
  CHECK(text.toPlainText() == QStringLiteral("schema: rackwright/v1\nslo:\n  ttft_p99: 1 s\n  tpot_p99: 1 s"));
  user.press(Qt::Key_Backtab, Qt::ShiftModifier);
  CHECK(text.toPlainText().endsWith(QStringLiteral("\ntpot_p99: 1 s")));
}

// Is started by the case below as a program of its own, and does not end by itself.
TEST_CASE("An editor in which somebody typed", "[.][child]") {
  const QString recovery = qEnvironmentVariable(folderVariable);
  if (recovery.isEmpty()) return;
  test::WindowDriver user(test::WindowDriver::Settings::kept, recovery);
  user.window().document().openText(QStringLiteral("review.yaml"), test::hallText);
  user.find("text").setFocus();
  user.type("# not saved yet ");
  QTest::qWait(60000);
}

TEST_CASE("What was typed into an editor that was killed is offered by the next one, and restored as unsaved") {
  const test::TemporaryFolder folder;
  const QString recovery = QString::fromStdString((folder.path() / "recovery").string());
  QProcess child;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QLatin1String(folderVariable), recovery);
  child.setProcessEnvironment(environment);
  child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("An editor in which somebody typed")});
  const auto isKept = [&] {
    for (const QFileInfo& file : QDir(recovery).entryInfoList(QDir::Files)) {
      QFile kept(file.filePath());
      if (kept.open(QIODevice::ReadOnly) && kept.readAll().contains("# not saved yet")) return true;
    }
    return false;
  };
  REQUIRE(QTest::qWaitFor(isKept, 60000));
  REQUIRE(::kill(static_cast<pid_t>(child.processId()), SIGKILL) == 0);
  REQUIRE(child.waitForFinished());

  test::WindowDriver user(test::WindowDriver::Settings::fresh, recovery);
  CHECK(user.find<QLabel>("message").text().contains(QStringLiteral("review.yaml")));
  user.click(answer(user, "Restore"));
  CHECK(user.window().document().current()->text() == "# not saved yet " + test::hallText);
  CHECK(user.window().document().isModified());
}
