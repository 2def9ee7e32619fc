#include "gui/views/closable_tab.h"

#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "gui/views/icons.h"

namespace rackwright::gui {

void addClosableTab(QTabWidget& tabs, QWidget* page, const QIcon& mark, const QString& title) {
  const int index = tabs.addTab(page, mark, title);
  auto* close = new QToolButton;
  close->setIcon(icon(Icon::close));
  close->setIconSize(QSize(12, 12));
  close->setAutoRaise(true);
  close->setFocusPolicy(Qt::NoFocus);  // Ctrl+W does the same.
  close->setToolTip(QTabWidget::tr("Close (Ctrl+W)"));
  close->setStyleSheet(QStringLiteral("QToolButton { padding: 2px; margin-left: 6px; }"));
  QObject::connect(close, &QToolButton::clicked, page, [&tabs, page] { Q_EMIT tabs.tabCloseRequested(tabs.indexOf(page)); });
  tabs.tabBar()->setTabButton(index, QTabBar::RightSide, close);
  tabs.setCurrentIndex(index);
}

}  // namespace rackwright::gui
