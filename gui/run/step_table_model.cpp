#include "gui/run/step_table_model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "gui/run/step_columns.h"

namespace rackwright::gui {

StepTableModel::StepTableModel(QObject* parent) : QAbstractTableModel(parent), blocks_(new StepBlocks(this)) {
  connect(blocks_, &StepBlocks::loaded, this, &StepTableModel::take);
  connect(blocks_, &StepBlocks::failed, this, &StepTableModel::failed);
}

void StepTableModel::setSteps(SharedSteps steps, std::uint32_t instance) {
  beginResetModel();
  blocks_->setSteps(std::move(steps), instance);
  endResetModel();
}

int StepTableModel::rowCount(const QModelIndex& parent) const {
  const auto places = blocks_->places();
  if (parent.isValid() || places.empty()) return 0;
  return static_cast<int>(std::min<std::int64_t>(places.back().first_row + places.back().count, std::numeric_limits<int>::max()));
}

int StepTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(stepColumns().size()); }

const results::StepStretch* StepTableModel::stretchAt(int row) const {
  if (row < 0 || row >= rowCount()) return nullptr;
  const auto places = blocks_->places();
  const auto after = std::ranges::upper_bound(places, std::int64_t{row}, {}, &results::StepBlock::first_row);
  const auto block = static_cast<std::size_t>(after - places.begin()) - 1;
  const std::vector<results::StepStretch>* stretches = blocks_->at(block);
  return stretches ? &(*stretches)[static_cast<std::size_t>(row - places[block].first_row)] : nullptr;
}

int StepTableModel::rowNear(SimTime when) const {
  const auto places = blocks_->places();
  for (std::size_t block = 0; block < places.size(); ++block) {
    if (places[block].end <= when) continue;
    const std::vector<results::StepStretch>* stretches = blocks_->at(block);
    const auto row = stretches ? std::ranges::find_if(*stretches, [&](const results::StepStretch& s) { return s.end > when; }) - stretches->begin() : 0;
    return static_cast<int>(places[block].first_row + row);
  }
  return -1;
}

void StepTableModel::take(std::size_t block) {
  const results::StepBlock& place = blocks_->places()[block];
  const int first = static_cast<int>(place.first_row);
  const int last = std::min(first + static_cast<int>(place.count), rowCount()) - 1;
  Q_EMIT dataChanged(index(first, 0), index(last, columnCount() - 1));
  Q_EMIT loaded();
}

QVariant StepTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::TextAlignmentRole) return headerData(index.column(), Qt::Horizontal, role);
  const results::StepStretch* stretch = role == Qt::DisplayRole ? stretchAt(index.row()) : nullptr;
  return stretch ? QVariant(stepColumns()[static_cast<std::size_t>(index.column())].text(*stretch)) : QVariant();
}

QVariant StepTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const StepColumn& column = stepColumns()[static_cast<std::size_t>(section)];
  switch (role) {
    case Qt::DisplayRole: return column.title;
    case Qt::ToolTipRole: return column.help;
    case Qt::TextAlignmentRole: return QVariant((column.isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
  }
}

}  // namespace rackwright::gui
