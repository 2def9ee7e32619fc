#include "gui/item_models/problems_model.h"

#include <algorithm>

#include "gui/document/message_at.h"
#include "gui/document/path_at.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {

void ProblemsModel::setChecked(SharedCheckResult result) {
  beginResetModel();
  rows_.clear();
  if (result) {
    const v1::Scenario& scenario = result->snapshot->message();
    for (const Diagnostic& finding : result->findings) {
      Row row{finding, placeOf(*result->snapshot, finding), QString::fromStdString(finding.path)};
      std::string problem;
      if (const auto path = scenarios::parse_path(row.path, problem)) row.place = QString::fromStdString(scenarios::to_string(namedPath(scenario, *path)));
      rows_.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows_, [](const Row& a, const Row& b) {
      if (a.finding.severity != b.finding.severity) return a.finding.severity > b.finding.severity;
      return a.finding.where.line < b.finding.where.line;
    });
  }
  endResetModel();
}

int ProblemsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const Diagnostic& finding = row.finding;
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == PathColumn) return row.place;
      if (index.column() == LineColumn) return finding.where.line > 0 ? QVariant(finding.where.line) : QVariant();
      return QString::fromStdString(finding.message);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: {
      QString text = QString::fromStdString(std::string(to_string(finding.severity)) + ": " + finding.message);
      if (!finding.hint.empty()) text += QStringLiteral(" (%1)").arg(QString::fromStdString(finding.hint));
      return text;
    }
    case PathRole: return QString::fromStdString(row.path);
    case LineRole: return finding.where.line;
    case SeverityRole: return static_cast<int>(finding.severity);
    case HintRole: return QString::fromStdString(finding.hint);
    default: return {};
  }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case MessageColumn: return tr("Problem");
    case PathColumn: return tr("Place");
    case LineColumn: return tr("Line");
    default: return {};
  }
}

}  // namespace rackwright::gui
