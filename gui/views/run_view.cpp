#include "gui/views/run_view.h"

#include <QDir>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTabWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/views/charts_page.h"
#include "gui/views/overview_page.h"
#include "gui/views/requests_page.h"
#include "gui/views/run_header.h"
#include "gui/views/steps_page.h"
#include "gui/views/timeline_page.h"

namespace rackwright::gui {

RunView::RunView(QWidget* parent)
    : QWidget(parent), pages_(new QTabWidget), overview_(new OverviewPage), charts_(new ChartsPage), requests_(new RequestsPage), timeline_(new TimelinePage), steps_(new StepsPage), log_(new QPlainTextEdit) {
  setObjectName(QStringLiteral("runView"));
  pages_->setObjectName(QStringLiteral("runPages"));
  pages_->setDocumentMode(true);
  pages_->tabBar()->setDrawBase(false);
  log_->setReadOnly(true);
  log_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  log_->setAccessibleName(tr("What the simulator said"));
  auto* header = new RunHeader(session_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(header);
  layout->addWidget(pages_, 1);
  pages_->addTab(overview_, tr("Overview"));
  pages_->addTab(charts_, tr("Charts"));
  pages_->addTab(requests_, tr("Requests"));
  pages_->addTab(timeline_, tr("Timeline"));
  pages_->addTab(steps_, tr("Steps"));
  pages_->addTab(log_, tr("Log"));
  overview_->setAccessibleName(tr("Overview"));
  charts_->setAccessibleName(tr("Charts"));
  setPages();
  pages_->setCurrentWidget(charts_);
  connect(&session_, &RunSession::liveChanged, this, &RunView::showLive);
  connect(&session_, &RunSession::resultsChanged, this, &RunView::showResults);
  connect(&session_, &RunSession::standingChanged, this, &RunView::setPages);
  connect(&session_.process(), &RunProcess::saidMore, this, &RunView::showLog);
  connect(timeline_, &TimelinePage::requestPicked, this, [this](std::uint64_t id) {
    pages_->setCurrentWidget(requests_);
    requests_->pick(id);
  });
  connect(timeline_, &TimelinePage::stepPicked, steps_, &StepsPage::pick);
  connect(steps_, &StepsPage::timePicked, this, [this](std::uint32_t instance, SimTime from, SimTime to) {
    pages_->setCurrentWidget(timeline_);
    timeline_->showTime(instance, from, to);
  });
  connect(header, &RunHeader::reportRequested, this, [this] { Q_EMIT openRequested(QUrl::fromLocalFile(QDir(session_.folder()).filePath(QStringLiteral("report.html")))); });
  connect(header, &RunHeader::folderRequested, this, [this] { Q_EMIT openRequested(QUrl::fromLocalFile(session_.folder())); });
}

RunView::~RunView() {
  session_.disconnect(this);
  session_.process().disconnect(this);
}

void RunView::setPages() {
  const bool results = session_.results() != nullptr;
  const auto show = [this](QWidget* page, bool visible) { pages_->setTabVisible(pages_->indexOf(page), visible); };
  show(overview_, results);
  show(charts_, results || session_.live());
  show(requests_, results);
  show(timeline_, results);
  show(steps_, results && session_.results()->steps);
  show(log_, !session_.process().said().isEmpty());
  const bool nothingElse = !results && !session_.live() && !session_.process().said().isEmpty();
  if (nothingElse) pages_->setCurrentWidget(log_);
}

void RunView::showLive() {
  const bool first = !pages_->isTabVisible(pages_->indexOf(charts_));
  charts_->show(session_.live()->plots);
  setPages();
  if (first) pages_->setCurrentWidget(charts_);
}

void RunView::showResults() {
  const std::shared_ptr<const LoadedRun>& run = session_.results();
  std::vector<plots::Plot> plots;
  for (const plots::PlotGroup& group : run->plots) plots.insert(plots.end(), group.plots.begin(), group.plots.end());
  charts_->show(std::move(plots));
  overview_->show(*run);
  for (RunPage* page : {static_cast<RunPage*>(requests_), static_cast<RunPage*>(timeline_), static_cast<RunPage*>(steps_)}) page->setRun(run);
  setPages();
  pages_->setCurrentWidget(run->record.summary ? static_cast<QWidget*>(overview_) : charts_);
}

void RunView::showLog() {
  const QStringList& said = session_.process().said();
  if (said.size() <= logged_) {  // Older lines fell off the front.
    log_->setPlainText(said.join(QLatin1Char('\n')));
  } else {
    for (qsizetype i = logged_; i < said.size(); ++i) log_->appendPlainText(said[i]);
  }
  logged_ = said.size();
  setPages();
}

}  // namespace rackwright::gui
