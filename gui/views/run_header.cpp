#include "gui/views/run_header.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "gui/run/number_text.h"
#include "gui/run/run_session.h"
#include "gui/views/icons.h"
#include "gui/views/theme.h"

namespace rackwright::gui {
namespace {

struct Look {
  Icon icon;
  QColor color;
};

Look lookOf(RunStanding standing, const ThemeColors& colors) {
  switch (standing) {
    case RunStanding::finished: return {Icon::check, colors.good};
    case RunStanding::running:
    case RunStanding::starting: return {Icon::run, colors.accent};
    case RunStanding::loading:
    case RunStanding::cancelling: return {Icon::clock, colors.accent};
    case RunStanding::paused: return {Icon::pause, colors.warning};
    case RunStanding::cancelled: return {Icon::cancel, colors.warning};
    case RunStanding::partial:
    case RunStanding::stalled: return {Icon::warning, colors.warning};
    case RunStanding::failed:
    case RunStanding::crashed:
    case RunStanding::unreadable: return {Icon::error, colors.error};
  }
  return {Icon::note, colors.accent};
}

QToolButton* button(Icon which, const QString& text, const char* name) {
  auto* made = new QToolButton;
  made->setIcon(icon(which));
  made->setText(text);
  made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  made->setFocusPolicy(Qt::TabFocus);
  made->setObjectName(QLatin1String(name));
  return made;
}

}  // namespace

RunHeader::RunHeader(RunSession& session, QWidget* parent)
    : QWidget(parent), session_(session), mark_(new QLabel), headline_(new QLabel), detail_(new QLabel), eta_(new QLabel), bar_(new QProgressBar),
      pause_(button(Icon::pause, tr("Pause"), "pauseRun")), cancel_(button(Icon::stop, tr("Cancel"), "cancelRun")),
      report_(button(Icon::report, tr("Report"), "openReport")), openFolder_(button(Icon::folder, tr("Folder"), "openRunFolder")) {
  QFont bold = headline_->font();
  bold.setBold(true);
  bold.setPointSizeF(bold.pointSizeF() * 1.15);
  headline_->setFont(bold);
  headline_->setObjectName(QStringLiteral("runHeadline"));
  detail_->setObjectName(QStringLiteral("runDetail"));
  detail_->setWordWrap(true);
  detail_->setTextFormat(Qt::PlainText);
  detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  eta_->setObjectName(QStringLiteral("runEta"));
  eta_->setProperty("subtle", true);
  bar_->setObjectName(QStringLiteral("runProgress"));
  bar_->setTextVisible(false);
  bar_->setRange(0, 1000);
  pause_->setToolTip(tr("Stop the simulator where it is, or let it go on"));
  cancel_->setToolTip(tr("End the run and keep what was simulated; a second time ends it at once"));
  report_->setToolTip(tr("Open the report in the browser"));
  openFolder_->setToolTip(tr("Open the run folder"));

  auto* first = new QHBoxLayout;
  first->setSpacing(10);
  first->addWidget(mark_);
  first->addWidget(headline_);
  first->addWidget(eta_);
  first->addStretch(1);
  for (QToolButton* made : {pause_, cancel_, report_, openFolder_}) first->addWidget(made);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(pageMargin, 9, pageMargin, 9);
  layout->setSpacing(6);
  layout->addLayout(first);
  layout->addWidget(bar_);
  layout->addWidget(detail_);

  connect(pause_, &QToolButton::clicked, this, [this] {
    if (session_.process().isPaused()) session_.process().resume();
    else session_.process().pause();
  });
  connect(cancel_, &QToolButton::clicked, &session_.process(), &RunProcess::cancel);
  connect(report_, &QToolButton::clicked, this, &RunHeader::reportRequested);
  connect(openFolder_, &QToolButton::clicked, this, &RunHeader::folderRequested);
  connect(&session_, &RunSession::standingChanged, this, &RunHeader::refresh);
  connect(&session_, &RunSession::resultsChanged, this, &RunHeader::refresh);
  connect(&session_.process(), &RunProcess::progressed, this, &RunHeader::refreshProgress);
  refresh();
}

void RunHeader::refresh() {
  const Look look = lookOf(session_.standing(), themeColors(palette()));
  mark_->setPixmap(icon(look.icon, look.color).pixmap(20, 20));
  headline_->setText(session_.headline());
  detail_->setText(sentence(session_.detail()));
  detail_->setVisible(!session_.detail().isEmpty());
  const bool active = session_.isActive();
  const bool paused = session_.process().isPaused();
  pause_->setVisible(active);
  pause_->setText(paused ? tr("Go on") : tr("Pause"));
  pause_->setIcon(icon(paused ? Icon::run : Icon::pause));
  cancel_->setVisible(active);
  cancel_->setText(session_.process().isCancelling() ? tr("End at once") : tr("Cancel"));
  report_->setVisible(session_.results() && session_.results()->hasReport);
  openFolder_->setVisible(session_.results() != nullptr);
  bar_->setVisible(active || session_.standing() == RunStanding::loading);
  refreshProgress();
}

void RunHeader::refreshProgress() {
  const std::optional<RunProgress>& progress = session_.process().progress();
  if (!session_.isActive() || !progress) {
    bar_->setRange(0, session_.standing() == RunStanding::loading ? 0 : 1000);
    if (session_.results() && session_.results()->record.summary) {
      const results::RunSummary& summary = *session_.results()->record.summary;
      eta_->setText(tr("%1 requests in %2 of simulated time").arg(countText(summary.requests.total), durationText(summary.duration_s)));
    } else if (!session_.isActive()) {
      eta_->clear();
    }
    return;
  }
  if (progress->fraction) {
    bar_->setRange(0, 1000);
    bar_->setValue(static_cast<int>(*progress->fraction * 1000));
  } else {
    bar_->setRange(0, 0);
  }
  QString text = tr("%1 simulated").arg(durationText(progress->simTime_s));
  text += QStringLiteral("  ·  ");
  text += progress->requestsTotal ? tr("%1 of %2 requests").arg(countText(progress->requestsDone), countText(*progress->requestsTotal)) : tr("%1 requests").arg(countText(progress->requestsDone));
  if (progress->left_s) text += QStringLiteral("  ·  ") + tr("about %1 left").arg(durationText(std::round(*progress->left_s)));
  eta_->setText(text);
}

void RunHeader::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

}  // namespace rackwright::gui
