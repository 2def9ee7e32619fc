#include "gui/run/request_table_model.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gui/run/number_text.h"
#include "models/base/quantity.h"

namespace rackwright::gui {
namespace {

QString shown(double value, RequestColumn::Kind kind) {
  if (std::isnan(value)) return QStringLiteral("—");
  return kind == RequestColumn::Kind::time ? unitText(format_quantity(value, "s", 4)) : countText(static_cast<std::int64_t>(value));
}

}  // namespace

RequestTableModel::RequestTableModel(QObject* parent) : QAbstractTableModel(parent), columns_(requestColumns({})) {}
RequestTableModel::~RequestTableModel() = default;

void RequestTableModel::setRun(const results::RunDescription& run, SharedRequests requests) {
  beginResetModel();
  columns_ = requestColumns(run);
  requests_ = std::move(requests);
  rows_.resize(total());
  std::iota(rows_.begin(), rows_.end(), 0u);
  endResetModel();
  reorder();
}

QString RequestTableModel::setFilter(const QString& text) {
  QString problem;
  RequestFilter filter(text, columns_, problem);
  if (!problem.isEmpty()) return problem;
  filterText_ = text;
  filter_ = std::move(filter);
  reorder();
  return {};
}

void RequestTableModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) return;
  sortColumn_ = column;
  sortOrder_ = order == Qt::AscendingOrder ? SortOrder::ascending : SortOrder::descending;
  reorder();
}

void RequestTableModel::reorder() {
  const int job = ++*generation_;
  if (!requests_) return;
  if (!std::exchange(pending_, true)) Q_EMIT sortingChanged();
  const QPointer<RequestTableModel> self(this);
  QThreadPool::globalInstance()->start(
      [self, generation = generation_, job, requests = requests_, filter = filter_, column = columns_[static_cast<std::size_t>(sortColumn_)], order = sortOrder_] {
        auto rows = std::make_shared<std::vector<std::uint32_t>>(orderedRows(*requests, filter, column, order));
        // QPointer is read in the model's own thread only; the application outlives the pool's jobs.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, generation, job, rows] {
              if (!self || job != *generation) return;
              self->beginResetModel();
              self->rows_ = std::move(*rows);
              self->endResetModel();
              self->pending_ = false;
              Q_EMIT self->sortingChanged();
            },
            Qt::QueuedConnection);
      });
}

const results::RequestOutcome* RequestTableModel::requestAt(int row) const {
  if (row < 0 || row >= rowCount()) return nullptr;
  return &(*requests_)[rows_[static_cast<std::size_t>(row)]];
}

int RequestTableModel::rowOf(std::uint64_t id) const {
  const auto found = std::ranges::find_if(rows_, [&](std::uint32_t row) { return (*requests_)[row].id == id; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int RequestTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int RequestTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(columns_.size()); }

QVariant RequestTableModel::data(const QModelIndex& index, int role) const {
  const results::RequestOutcome* request = index.isValid() ? requestAt(index.row()) : nullptr;
  if (!request) return {};
  const RequestColumn& column = columns_[static_cast<std::size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole: {
      const double value = column.value(*request);
      if (column.kind != RequestColumn::Kind::text) return shown(value, column.kind);
      const auto name = static_cast<std::size_t>(value);
      return name < column.names.size() ? QString::fromStdString(column.names[name]) : QString();
    }
    case Qt::TextAlignmentRole: return QVariant(column.kind == RequestColumn::Kind::text ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
  }
}

QVariant RequestTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (section < 0 || orientation != Qt::Horizontal || section >= columnCount()) return {};
  const RequestColumn& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return QStringLiteral("%1 (%2)").arg(column.help, column.name);
  if (role == Qt::TextAlignmentRole) return QVariant(column.kind == RequestColumn::Kind::text ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

}  // namespace rackwright::gui
