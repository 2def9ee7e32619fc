#pragma once

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTest>
#include <QTextBlock>
#include <QTreeView>
#include <memory>

#include "gui/app/main_window.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

namespace rackwright::test {

/// A window of the editor with folders of its own, and the hands that use it.
class WindowDriver {
 public:
  enum class Settings { fresh, kept };
  /// `recovery` is where unsaved text is kept; by default a folder that nobody else has.
  explicit WindowDriver(Settings settings = Settings::fresh, const QString& recovery = {}) {
    if (settings == Settings::fresh) QSettings().clear();
    window_ = std::make_unique<gui::MainWindow>(gui::WindowFolders{recovery.isEmpty() ? path("recovery") : recovery, path("scratch")});
    window_->show();
    REQUIRE(QTest::qWaitForWindowExposed(window_.get()));
    window_->activateWindow();  // A screen without a window manager gives no window the keyboard by itself.
    REQUIRE(QTest::qWaitForWindowActive(window_.get()));
  }

  gui::MainWindow& window() { return *window_; }
  QString path(const char* name) const { return QString::fromStdString((folder_.path() / name).string()); }
  /// Gives a file of the window's own folder this text, and returns its path.
  QString write(const char* name, const std::string& text) const {
    QFile file(path(name));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(text.data(), static_cast<qint64>(text.size()));
    return path(name);
  }

  template <class Widget = QWidget>
  Widget& find(const char* name) const {
    auto* found = window_->findChild<Widget*>(QLatin1String(name));
    INFO("looking for " << name);
    REQUIRE(found);
    return *found;
  }
  void click(QWidget& widget) { QTest::mouseClick(&widget, Qt::LeftButton); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(focus(), key, modifiers); }
  void type(const char* text) { QTest::keyClicks(focus(), QLatin1String(text)); }
  QWidget* focus() const { return QApplication::focusWidget() ? QApplication::focusWidget() : window_.get(); }

  template <class Condition>
  bool wait(Condition condition, int ms = 20000) {
    return QTest::qWaitFor(condition, ms);
  }
  int problems() const { return find<QTreeView>("problems").model()->rowCount(); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<gui::MainWindow> window_;
};

}  // namespace rackwright::test
