#pragma once

#include <QAbstractListModel>

#include "gui/item_models/search_index.h"

namespace rackwright::gui {

/// The best fits of a query among some entries.
class SearchModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { DetailRole = Qt::UserRole + 1, KindRole };

  using QAbstractListModel::QAbstractListModel;

  void setEntries(std::vector<SearchEntry> entries);
  void setQuery(const QString& query);
  /// Null for an invalid index.
  const SearchEntry* entryAt(const QModelIndex& index) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  void find();

  std::vector<SearchEntry> entries_;
  QString query_;
  std::vector<const SearchEntry*> found_;
};

}  // namespace rackwright::gui
