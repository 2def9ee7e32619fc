#pragma once

#include <QAbstractTableModel>
#include <cstdint>

#include "gui/run/step_blocks.h"

namespace rackwright::gui {

/// The steps of one instance as rows, a stretch of like ones in one. Only what a view looks at is read, in another
/// thread; until then its cells are empty.
class StepTableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit StepTableModel(QObject* parent = nullptr);

  void setSteps(SharedSteps steps, std::uint32_t instance);
  /// Null while it is being read.
  const results::StepStretch* stretchAt(int row) const;
  /// The row whose steps go on at this instant or are the next after it; −1 after the last. Until its block was read, the
  /// first row of that.
  int rowNear(SimTime when) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 Q_SIGNALS:
  void loaded();
  void failed(const QString& problem);

 private:
  void take(std::size_t block);

  StepBlocks* blocks_;
};

}  // namespace rackwright::gui
