#include "gui/views/timeline_page.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <utility>

#include "gui/charts/chart_palette.h"
#include "gui/charts/instance_lanes.h"
#include "gui/run/run_loader.h"

namespace rackwright::gui {

TimelinePage::TimelinePage(QWidget* parent) : QWidget(parent), legend_(new QLabel), instance_(new QComboBox), note_(new QLabel), lanes_(new InstanceLanes) {
  instance_->setObjectName(QStringLiteral("timelineInstance"));
  instance_->setAccessibleName(tr("Instance"));
  note_->setWordWrap(true);
  note_->setProperty("subtle", true);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(12, 10, 12, 8);
  top->setSpacing(14);
  top->addWidget(new QLabel(tr("Instance")));
  top->addWidget(instance_);
  top->addWidget(legend_);
  paintLegend();
  top->addStretch(1);
  top->addWidget(new QLabel(tr("wheel or + −: zoom   ·   Shift+wheel or ← →: move")));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(top);
  layout->addWidget(lanes_, 1);
  note_->setContentsMargins(12, 4, 12, 10);
  layout->addWidget(note_);
  connect(instance_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (run_ && index >= 0) lanes_->show(run_->requests, static_cast<std::uint32_t>(index));
  });
  connect(lanes_, &InstanceLanes::requestPicked, this, &TimelinePage::requestPicked);
}

void TimelinePage::paintLegend() {
  const std::pair<Phase, QString> phases[] = {{Phase::waiting, tr("waiting")}, {Phase::prefill, tr("prefill")}, {Phase::decode, tr("decode")}};
  QStringList marks;
  for (const auto& [phase, name] : phases) marks.push_back(QStringLiteral("<span style='color:%1'>■</span> %2").arg(phaseColor(phase, palette()).name(), name));
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
  const QSignalBlocker quiet(instance_);
  instance_->clear();
  std::uint32_t number = 0;
  for (const results::PoolDescription& pool : run_->record.run.pools) {
    for (std::uint32_t i = 0; i < pool.instances; ++i) instance_->addItem(QStringLiteral("%1 · %2 %3").arg(number++).arg(QString::fromStdString(pool.name)).arg(i));
  }
  instance_->setCurrentIndex(0);
  note_->setText(run_->hasStepTrace
                     ? tr("The folder also holds the single steps: open its trace.json in ui.perfetto.dev.")
                     : tr("This folder holds no single steps; the lanes show the requests of the instance, each from its arrival to its last token."));
  if (instance_->count() > 0) lanes_->show(run_->requests, 0);
}

}  // namespace rackwright::gui
