#include "gui/views/requests_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>

#include "gui/run/number_text.h"
#include "gui/charts/request_gantt.h"
#include "gui/run/run_loader.h"
#include "gui/views/icons.h"
#include "gui/views/table_look.h"

namespace rackwright::gui {

namespace {

using namespace std::chrono_literals;

QString longestText(const RequestColumn& column) {
  switch (column.kind) {
    case RequestColumn::Kind::time: return QStringLiteral("888.8 ms");
    case RequestColumn::Kind::count: return QStringLiteral("88,888");
    case RequestColumn::Kind::text: break;
  }
  const auto length = [](const std::string& name) { return name.size(); };
  return column.names.empty() ? QString() : QString::fromStdString(std::ranges::max(column.names, {}, length));
}

}  // namespace

RequestsPage::RequestsPage(QWidget* parent)
    : RunPage(parent), model_(this), filter_(new QLineEdit), count_(new QLabel), table_(new QTableView), gantt_(new RequestGantt) {
  filter_->setObjectName(QStringLiteral("requestFilter"));
  filter_->setPlaceholderText(tr("Filter, such as: outcome=completed ttft>200ms output>=100"));
  filter_->setAccessibleName(tr("Filter of the requests"));
  filter_->addAction(icon(Icon::search), QLineEdit::LeadingPosition);
  filter_->setClearButtonEnabled(true);
  count_->setObjectName(QStringLiteral("requestCount"));
  count_->setProperty("subtle", true);
  table_->setObjectName(QStringLiteral("requests"));
  table_->setAccessibleName(tr("Requests"));
  table_->setModel(&model_);
  table_->setSortingEnabled(true);
  setTableLook(*table_);
  table_->horizontalHeader()->setSortIndicator(0, Qt::AscendingOrder);
  bar().addWidget(filter_, 1);
  bar().addWidget(count_);
  body().addWidget(table_, 1);
  body().addWidget(gantt_);

  auto* pause = new QTimer(this);
  pause->setSingleShot(true);
  pause->setInterval(200ms);
  connect(filter_, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
  connect(pause, &QTimer::timeout, this, &RequestsPage::filter);
  connect(&model_, &RequestTableModel::sortingChanged, this, &RequestsPage::refreshCount);
  connect(&model_, &RequestTableModel::sortingChanged, this, &RequestsPage::select);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    const results::RequestOutcome* request = model_.requestAt(current.row());
    if (!request) return;
    picked_ = request->id;
    gantt_->setRequest(*request);
  });
}

void RequestsPage::filter() {
  const QString problem = model_.setFilter(filter_->text());
  filter_->setProperty("invalid", !problem.isEmpty());
  style()->unpolish(filter_);
  style()->polish(filter_);
  filter_->setToolTip(problem);
  if (problem.isEmpty()) refreshCount();
  else count_->setText(problem);
}

void RequestsPage::fill() {
  gantt_->setRequest(std::nullopt);
  picked_.reset();
  const results::RunRecord& record = run()->record;
  model_.setRun(record.run, run()->requests);
  setColumnWidths(*table_, [this](int column) { return longestText(model_.columns()[static_cast<std::size_t>(column)]); });
  for (int column = 0; column < model_.columnCount(); ++column) {
    // What is the same for every request needs no column.
    const RequestColumn& one = model_.columns()[static_cast<std::size_t>(column)];
    const bool alike = one.name == QStringLiteral("class") && one.names.size() < 2;
    const bool neverMoved = one.name == QStringLiteral("kv") && (!record.summary || !record.summary->network || !record.summary->network->kv);
    table_->setColumnHidden(column, alike || neverMoved);
  }
  refreshCount();
}

void RequestsPage::refreshCount() {
  if (model_.isSorting()) count_->setText(tr("Sorting…"));
  else if (model_.filter().isEmpty()) count_->setText(tr("%1 requests").arg(countText(static_cast<std::int64_t>(model_.total()))));
  else count_->setText(tr("%1 of %2 requests").arg(countText(model_.rowCount()), countText(static_cast<std::int64_t>(model_.total()))));
}

void RequestsPage::pick(std::uint64_t id) {
  fillIfNew();
  picked_ = id;
  if (!model_.isSorting() && model_.rowOf(id) < 0) return filter_->setText(QString::number(id));
  select();
}

void RequestsPage::select() {
  const int row = picked_ && !model_.isSorting() ? model_.rowOf(*picked_) : -1;
  if (row < 0 || row == table_->currentIndex().row()) return;
  table_->setCurrentIndex(model_.index(row, 0));
  table_->scrollTo(model_.index(row, 0), QAbstractItemView::PositionAtCenter);
}

}  // namespace rackwright::gui
