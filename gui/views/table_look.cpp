#include "gui/views/table_look.h"

#include <QHeaderView>
#include <QTableView>
#include <algorithm>

namespace rackwright::gui {
namespace {

// What the style sheet of the theme leaves free beside a title, with its mark of the order, and beside a value.
constexpr int besideTitle_px = 34;
constexpr int besideValue_px = 30;

}  // namespace

void setTableLook(QTableView& table) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setTabKeyNavigation(false);  // Tab leaves the table; the arrows move in it.
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setWordWrap(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
  table.horizontalHeader()->setHighlightSections(false);
}

void setColumnWidths(QTableView& table, const std::function<QString(int)>& longest) {
  const QAbstractItemModel& model = *table.model();
  const QFontMetrics metrics = table.fontMetrics();
  for (int column = 0; column < model.columnCount(); ++column) {
    const QString title = model.headerData(column, Qt::Horizontal).toString();
    table.setColumnWidth(column, std::max(metrics.horizontalAdvance(title) + besideTitle_px, metrics.horizontalAdvance(longest(column)) + besideValue_px));
  }
}

}  // namespace rackwright::gui
