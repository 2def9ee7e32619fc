#pragma once

#include <QIcon>
#include <QString>

class QTabWidget;
class QWidget;

namespace rackwright::gui {

/// Adds a page with a button that asks for it to be closed (tabCloseRequested), and brings it to the front.
void addClosableTab(QTabWidget& tabs, QWidget* page, const QIcon& icon, const QString& title);

}  // namespace rackwright::gui
