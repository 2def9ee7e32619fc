#include "gui/views/timeline_page.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "gui/charts/chart_palette.h"
#include "gui/charts/instance_lanes.h"
#include "gui/charts/step_tracks.h"
#include "gui/run/run_loader.h"
#include "gui/views/instance_names.h"

namespace rackwright::gui {

TimelinePage::TimelinePage(QWidget* parent)
    : QWidget(parent), legend_(new QLabel), instance_(new QComboBox), note_(new QLabel), steps_(new StepTracks(window_)), lanes_(new InstanceLanes(window_)) {
  instance_->setObjectName(QStringLiteral("timelineInstance"));
  instance_->setAccessibleName(tr("Instance"));
  steps_->setObjectName(QStringLiteral("stepTracks"));
  note_->setObjectName(QStringLiteral("timelineNote"));
  note_->setWordWrap(true);
  note_->setProperty("subtle", true);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(12, 10, 12, 8);
  top->setSpacing(14);
  auto* label = new QLabel(tr("&Instance"));
  label->setBuddy(instance_);
  top->addWidget(label);
  top->addWidget(instance_);
  top->addWidget(legend_);
  paintLegend();
  top->addStretch(1);
  auto* keys = new QLabel(tr("wheel or + −: zoom   ·   Shift+wheel or ← →: move"));
  keys->setProperty("subtle", true);
  top->addWidget(keys);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(steps_);
  split->addWidget(lanes_);
  split->setChildrenCollapsible(false);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(top);
  layout->addWidget(split, 1);
  note_->setContentsMargins(12, 4, 12, 10);
  layout->addWidget(note_);
  connect(instance_, &QComboBox::currentIndexChanged, this, &TimelinePage::showInstance);
  connect(lanes_, &InstanceLanes::requestPicked, this, &TimelinePage::requestPicked);
  connect(steps_, &StepTracks::stepPicked, this, [this](SimTime when) { Q_EMIT stepPicked(static_cast<std::uint32_t>(instance_->currentIndex()), when); });
}

void TimelinePage::paintLegend() {
  const bool steps = run_ && run_->steps;
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

void TimelinePage::show(std::shared_ptr<const LoadedRun> run) {
  run_ = std::move(run);
  filled_ = false;
  if (isVisible()) fill();
}

void TimelinePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

void TimelinePage::fill() {
  if (!run_ || std::exchange(filled_, true)) return;
  {
    const QSignalBlocker quiet(instance_);
    instance_->clear();
    instance_->addItems(instanceNames(run_->record.run));
  }
  steps_->setVisible(run_->steps != nullptr);
  note_->setVisible(!run_->steps || !run_->stepsProblem.isEmpty());
  note_->setText(!run_->stepsProblem.isEmpty() ? tr("Steps: %1").arg(run_->stepsProblem)
                                               : tr("This run kept no steps. Turn on Run → Keep every step and run it again to see what each computed."));
  paintLegend();
  window_.reset(run_->end_s);
  showInstance(instance_->currentIndex());
}

void TimelinePage::showInstance(int index) {
  if (!run_ || index < 0) return;
  lanes_->show(run_->requests, static_cast<std::uint32_t>(index));
  if (run_->steps) steps_->setSteps(run_->steps, static_cast<std::uint32_t>(index));
}

void TimelinePage::showTime(std::uint32_t instance, SimTime from, SimTime to) {
  fill();
  instance_->setCurrentIndex(static_cast<int>(instance));
  const double around_s = std::max((to - from).seconds(), 0.02);
  window_.show(from.seconds() - around_s, to.seconds() + around_s);
  steps_->setFocus();
}

}  // namespace rackwright::gui
