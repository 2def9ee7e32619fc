#pragma once

#include <QString>
#include <functional>

class QTableView;

namespace rackwright::gui {

/// Rows of one height without a grid, chosen one at a time.
void setTableLook(QTableView& table);

/// Makes each column as wide as its title and a text that is as long as those in it get.
void setColumnWidths(QTableView& table, const std::function<QString(int column)>& longest);

}  // namespace rackwright::gui
