#include "gui/views/steps_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

#include "gui/charts/number_text.h"
#include "gui/run/run_loader.h"
#include "gui/views/instance_names.h"
#include "gui/views/table_look.h"

namespace rackwright::gui {

StepsPage::StepsPage(QWidget* parent) : QWidget(parent), instance_(new QComboBox), count_(new QLabel), table_(new QTableView) {
  instance_->setObjectName(QStringLiteral("stepsInstance"));
  instance_->setAccessibleName(tr("Instance"));
  count_->setObjectName(QStringLiteral("stepsCount"));
  count_->setProperty("subtle", true);
  table_->setObjectName(QStringLiteral("steps"));
  table_->setAccessibleName(tr("Steps"));
  table_->setModel(&model_);
  setTableLook(*table_);
  table_->setColumnWidth(1, 150);  // "prefill and decode",
  table_->setColumnWidth(3, 170);  // and the first and the last step of a stretch.
  table_->setColumnWidth(7, 130);
  for (const int count : {2, 5, 6, 9, 10}) table_->setColumnWidth(count, 88);
  auto* label = new QLabel(tr("&Instance"));
  label->setBuddy(instance_);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(12, 10, 12, 8);
  top->setSpacing(14);
  top->addWidget(label);
  top->addWidget(instance_);
  top->addStretch(1);
  top->addWidget(count_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(table_, 1);
  connect(instance_, &QComboBox::currentIndexChanged, this, &StepsPage::showInstance);
  connect(&model_, &StepTableModel::loaded, this, &StepsPage::select);
  connect(&model_, &StepTableModel::failed, count_, &QLabel::setText);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (const results::StepStretch* s = model_.stretchAt(index.row())) Q_EMIT timePicked(s->instance, s->start, s->end);
  });
}

void StepsPage::show(std::shared_ptr<const LoadedRun> run) {
  run_ = std::move(run);
  filled_ = false;
  if (isVisible()) fill();
}

void StepsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

void StepsPage::fill() {
  if (!run_ || !run_->steps || std::exchange(filled_, true)) return;
  {
    const QSignalBlocker quiet(instance_);
    instance_->clear();
    instance_->addItems(instanceNames(run_->record.run));
  }
  showInstance(instance_->currentIndex());
}

void StepsPage::showInstance(int index) {
  if (!run_ || !run_->steps || index < 0) return;
  const auto instance = static_cast<std::uint32_t>(index);
  model_.setSteps(run_->steps, instance);
  results::StepTotals all;
  for (const results::StepBlock& block : run_->steps->blocks(instance)) all += block.totals;
  count_->setText(tr("%1 steps in %2 rows · busy %3 · %4 sequences a step on average")
                      .arg(countText(all.steps), countText(model_.rowCount()), durationText(static_cast<double>(all.busy()) / 1e12),
                           QString::number(all.mean_batch(), 'f', 1)));
}

void StepsPage::pick(std::uint32_t instance, SimTime when) {
  fill();
  instance_->setCurrentIndex(static_cast<int>(instance));
  picked_ = when;
  select();
}

void StepsPage::select() {
  if (!picked_) return;
  const int row = model_.rowNear(*picked_);
  if (row < 0) return picked_.reset();
  if (!model_.stretchAt(row)) return;  // Comes back once it was read.
  picked_.reset();
  table_->setCurrentIndex(model_.index(row, 0));
  table_->scrollTo(model_.index(row, 0), QAbstractItemView::PositionAtCenter);
}

}  // namespace rackwright::gui
