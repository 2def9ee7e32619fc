#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace rackwright::gui {

/// What stands where no scenario is open yet: a way to the first run, what was open lately, and the library.
class StartPage final : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent = nullptr);

  void setRecent(const QStringList& files);

 Q_SIGNALS:
  void templateChosen(const QString& libraryPath);
  void fileChosen(const QString& file);
  void openRequested();

 private:
  QVBoxLayout* recent_;
};

}  // namespace rackwright::gui
