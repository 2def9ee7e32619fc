#include "gui/views/steps_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/run/number_text.h"
#include "gui/run/run_loader.h"
#include "gui/run/step_columns.h"
#include "gui/views/instance_box.h"
#include "gui/views/table_look.h"

namespace rackwright::gui {

StepsPage::StepsPage(QWidget* parent) : RunPage(parent), instance_(addInstanceBox()), count_(new QLabel), table_(new QTableView) {
  count_->setObjectName(QStringLiteral("stepsCount"));
  count_->setProperty("subtle", true);
  bar().addStretch(1);
  bar().addWidget(count_);
  table_->setObjectName(QStringLiteral("steps"));
  table_->setAccessibleName(tr("Steps"));
  table_->setModel(&model_);
  setTableLook(*table_);
  setColumnWidths(*table_, [](int column) { return stepColumns()[static_cast<std::size_t>(column)].widest; });
  body().addWidget(table_, 1);
  connect(instance_, &InstanceBox::instanceChosen, this, &StepsPage::showInstance);
  connect(&model_, &StepTableModel::loaded, this, &StepsPage::select);
  connect(&model_, &StepTableModel::failed, count_, &QLabel::setText);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (const results::StepStretch* s = model_.stretchAt(index.row())) Q_EMIT timePicked(s->instance, s->start, s->end);
  });
}

void StepsPage::fill() {
  if (!run()->steps) return;
  instance_->setRun(run()->record.run);
  if (instance_->count() > 0) showInstance(0);
}

void StepsPage::showInstance(std::uint32_t instance) {
  model_.setSteps(run()->steps, instance);
  results::StepTotals all;
  for (const results::StepBlock& block : run()->steps->blocks(instance)) all += block.totals;
  count_->setText(tr("%1 steps in %2 rows · busy %3 · %4 sequences a step on average")
                      .arg(countText(all.steps), countText(model_.rowCount()), durationText(static_cast<double>(all.busy()) / 1e12),
                           QString::number(all.mean_batch(), 'f', 1)));
}

void StepsPage::pick(std::uint32_t instance, SimTime when) {
  fillIfNew();
  instance_->choose(instance);
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
