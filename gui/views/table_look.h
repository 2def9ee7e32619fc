#pragma once

class QTableView;

namespace rackwright::gui {

/// Rows of one height without a grid, chosen one at a time.
void setTableLook(QTableView& table);

}  // namespace rackwright::gui
