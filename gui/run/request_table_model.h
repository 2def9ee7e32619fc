#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "gui/run/request_filter.h"
#include "gui/run/request_order.h"
#include "gui/run/run_loader.h"

namespace rackwright::gui {

/// The requests of a run. Sorting and filtering happen in another thread; the rows stay as they are until then.
class RequestTableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit RequestTableModel(QObject* parent = nullptr);
  ~RequestTableModel() override;

  void setRun(const results::RunDescription& run, SharedRequests requests);
  /// Returns an empty text, or why the filter means nothing; the rows then stay as they are.
  QString setFilter(const QString& text);
  const QString& filter() const { return filterText_; }
  const std::vector<RequestColumn>& columns() const { return columns_; }
  const results::RequestOutcome* requestAt(int row) const;
  /// The row that shows a request; −1 when the filter leaves it out.
  int rowOf(std::uint64_t id) const;
  std::size_t total() const { return requests_ ? requests_->size() : 0; }
  bool isSorting() const { return pending_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 Q_SIGNALS:
  void sortingChanged();

 private:
  void reorder();

  std::vector<RequestColumn> columns_;
  SharedRequests requests_;
  std::vector<std::uint32_t> rows_;
  QString filterText_;
  RequestFilter filter_;
  int sortColumn_ = 0;
  SortOrder sortOrder_ = SortOrder::ascending;
  bool pending_ = false;
  std::shared_ptr<int> generation_ = std::make_shared<int>(0);  ///< Outlived by jobs under way, which then do nothing.
};

}  // namespace rackwright::gui
