#pragma once

#include <QAbstractTableModel>

#include "gui/document/check_service.h"

namespace rackwright::gui {

/// What the check found, the worst first, then in order of lines.
class ProblemsModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { MessageColumn, PathColumn, LineColumn, ColumnCount };
  enum Role { PathRole = Qt::UserRole + 1, LineRole, SeverityRole, HintRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setChecked(SharedCheckResult result);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  struct Row {
    Diagnostic finding;
    std::string path;  ///< With indices.
    QString place;     ///< For people.
  };

  std::vector<Row> rows_;
};

}  // namespace rackwright::gui
