#include "gui/views/table_look.h"

#include <QHeaderView>
#include <QTableView>

namespace rackwright::gui {

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
  table.horizontalHeader()->setDefaultSectionSize(110);
}

}  // namespace rackwright::gui
