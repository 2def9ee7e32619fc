#include "gui/views/timeline_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/charts/chart_palette.h"
#include "gui/charts/instance_lanes.h"
#include "gui/charts/step_tracks.h"
#include "gui/run/run_loader.h"
#include "gui/views/instance_box.h"
#include "gui/views/theme.h"

namespace rackwright::gui {

TimelinePage::TimelinePage(QWidget* parent)
    : RunPage(parent), instance_(addInstanceBox()), legend_(new QLabel), note_(new QLabel), steps_(new StepTracks(window_)), lanes_(new InstanceLanes(window_)) {
  steps_->setObjectName(QStringLiteral("stepTracks"));
  note_->setObjectName(QStringLiteral("timelineNote"));
  note_->setWordWrap(true);
  note_->setProperty("subtle", true);
  bar().addWidget(legend_);
  paintLegend();
  bar().addStretch(1);
  auto* keys = new QLabel(tr("wheel or + −: zoom   ·   Shift+wheel or ← →: move"));
  keys->setProperty("subtle", true);
  bar().addWidget(keys);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(steps_);
  split->addWidget(lanes_);
  split->setChildrenCollapsible(false);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  body().addWidget(split, 1);
  note_->setContentsMargins(pageMargin, 4, pageMargin, 10);
  body().addWidget(note_);
  connect(instance_, &InstanceBox::instanceChosen, this, &TimelinePage::showInstance);
  connect(lanes_, &InstanceLanes::requestPicked, this, &TimelinePage::requestPicked);
  connect(steps_, &StepTracks::stepPicked, this, [this](SimTime when) { Q_EMIT stepPicked(instance_->instance(), when); });
}

void TimelinePage::paintLegend() {
  const bool steps = run() && run()->steps;
  std::vector<std::pair<QColor, QString>> colors{{phaseColor(Phase::waiting, palette()), tr("waiting")},
                                                 {phaseColor(Phase::prefill, palette()), tr("prefill")},
                                                 {phaseColor(Phase::decode, palette()), tr("decode")}};
  if (steps) colors.emplace_back(stepColor(results::StepKind::mixed, palette()), tr("both in one step"));
  QStringList marks;
  for (const auto& [color, name] : colors) marks.push_back(QStringLiteral("<span style='color:%1'>■</span> %2").arg(color.name(), name));
  legend_->setText(marks.join(QStringLiteral("&nbsp;&nbsp;&nbsp;")));
}

void TimelinePage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) paintLegend();
}

void TimelinePage::fill() {
  instance_->setRun(run()->record.run);
  steps_->setVisible(run()->steps != nullptr);
  note_->setVisible(!run()->steps || !run()->stepsProblem.isEmpty());
  note_->setText(!run()->stepsProblem.isEmpty() ? tr("Steps: %1").arg(run()->stepsProblem)
                                                : tr("This run kept no steps. Turn on Run → Keep every step and run it again to see what each computed."));
  paintLegend();
  window_.reset(run()->end_s);
  showInstance(0);
}

void TimelinePage::showInstance(std::uint32_t instance) {
  lanes_->show(run()->requests, instance);
  if (run()->steps) steps_->setSteps(run()->steps, instance);
}

void TimelinePage::showTime(std::uint32_t instance, SimTime from, SimTime to) {
  fillIfNew();
  instance_->choose(instance);
  const double around_s = std::max((to - from).seconds(), 0.02);
  window_.show(from.seconds() - around_s, to.seconds() + around_s);
  steps_->setFocus();
}

}  // namespace rackwright::gui
