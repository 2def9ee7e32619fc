// take_screenshots FOLDER [WIDTH HEIGHT]: pictures of each main view, light and dark, from the first run of the library.
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFontDatabase>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>

#include "gui/app/main_window.h"
#include "gui/app/run_tabs.h"
#include "gui/run/run_session.h"
#include "gui/views/requests_page.h"
#include "gui/views/run_view.h"

namespace {

using namespace rackwright;

/// With something to mend, and something that has no effect.
const std::string problematic = R"(# The hall of the review in May.
schema: rackwright/v1
name: Review
workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}
facility:
  racks:
    - {name: a, rack: hgx-h200-air}
    - name: b
      rack: {preset: hgx-h200-air, power_budget: 10 kW}   # what the row leaves
deployment:
  - {pool: chat, model: llama-3.1-8b, on: a}
  # Long prompts go here.
  - pool: long
    model: llama-3.1-405b
    on: b
    scheduler:
      policy: sarathi
      token_budget: 512
      chunked_prefill: true
slo: {ttft_p99: 500 ms, tpot_p99: 40 ms}
)";

/// Goes on for longer than it is looked at.
const std::string longRun = R"(schema: rackwright/v1
workload: {generator: azure-conversation-2023, rate: 400 /s, requests: 5000000}
facility: {racks: [{name: hall, rack: hgx-h200-4, count: 16}]}
deployment:
  - {pool: chat, model: llama-3.1-70b, on: hall, tensor_parallel: 8}
)";

void turn(int ms) {
  QElapsedTimer since;
  since.start();
  while (since.elapsed() < ms) QApplication::processEvents(QEventLoop::AllEvents, 20);
}

void take(QWidget& window, const QDir& folder, const QString& name) {
  turn(350);
  window.grab().save(folder.filePath(name + QStringLiteral(".png")));
}

}  // namespace

int main(int argc, char* argv[]) {
  QStandardPaths::setTestModeEnabled(true);
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("Rackwright"));
  QApplication::setApplicationName(QStringLiteral("rackwright-gui-screenshots"));
  QSettings().clear();
  if (QFontDatabase::families().contains(QStringLiteral("Inter"))) QApplication::setFont(QFont(QStringLiteral("Inter"), 10));
  const QStringList arguments = QApplication::arguments();
  const QDir folder(arguments.value(1, QStringLiteral(".")));
  folder.mkpath(QStringLiteral("."));
  const QSize size(arguments.value(2, QStringLiteral("1400")).toInt(), arguments.value(3, QStringLiteral("860")).toInt());

  for (const auto& [choice, name] : {std::pair(gui::ThemeChoice::light, "light"), std::pair(gui::ThemeChoice::dark, "dark")}) {
    const QString theme = QLatin1String(name);
    const QTemporaryDir scratch;
    gui::MainWindow window({scratch.filePath(QStringLiteral("recovery")), scratch.filePath(QStringLiteral("scratch"))});
    window.setTheme(choice);
    window.resize(size);
    window.show();
    take(window, folder, QStringLiteral("start-") + theme);

    window.openTemplate(QStringLiteral("tutorial/first_run.yaml"));
    window.goTo("deployment[0].tensor_parallel");
    turn(1500);
    take(window, folder, QStringLiteral("editor-") + theme);

    window.document().openText(QStringLiteral("review.yaml"), problematic);
    window.goTo("deployment[1].scheduler.chunked_prefill");
    turn(1500);
    take(window, folder, QStringLiteral("problems-") + theme);
    QMetaObject::invokeMethod(window.findChild<QAction*>(QStringLiteral("searchEverything")), "trigger");
    window.findChild<QLineEdit*>(QStringLiteral("searchQuery"))->setText(QStringLiteral("token budget"));
    take(window, folder, QStringLiteral("search-") + theme);
    window.findChild<QWidget*>(QStringLiteral("search"))->hide();

    window.document().openText(QStringLiteral("long.yaml"), longRun);
    QMetaObject::invokeMethod(window.findChild<QAction*>(QStringLiteral("run")), "trigger");
    turn(5000);
    take(window, folder, QStringLiteral("running-") + theme);
    gui::RunProcess& process = window.runs().current()->session().process();
    for (int times = 0; times < 2; ++times) process.cancel();  // The second time ends it at once.
    while (!isOver(window.runs().current()->session().standing())) turn(50);
    take(window, folder, QStringLiteral("cancelled-") + theme);

    window.openTemplate(QStringLiteral("tutorial/first_run.yaml"));
    turn(1000);
    QMetaObject::invokeMethod(window.findChild<QAction*>(QStringLiteral("run")), "trigger");
    gui::RunView* run = window.runs().current();
    while (run && !run->session().results() && run->session().standing() != gui::RunStanding::failed) turn(50);
    if (!run || !run->session().results()) return 1;
    const QTabWidget& pages = run->pages();
    for (const char* page : {"Overview", "Charts", "Requests", "Timeline", "Steps"}) {
      for (int i = 0; i < pages.count(); ++i) {
        if (pages.tabText(i) == QLatin1String(page)) run->pages().setCurrentIndex(i);
      }
      if (QLatin1String(page) == QLatin1String("Requests")) {
        window.findChild<QTableView*>(QStringLiteral("requests"))->sortByColumn(7, Qt::DescendingOrder);
        turn(600);
        run->requests().pick(run->requests().model().requestAt(3)->id);
      }
      turn(3000);  // Charts are drawn one after the other.
      take(window, folder, QString::fromLatin1(page).toLower() + QLatin1Char('-') + theme);
    }
    QDir(scratch.filePath(QStringLiteral("scratch"))).removeRecursively();
  }
  return 0;
}
