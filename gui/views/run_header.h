#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace rackwright::gui {

class RunSession;

/// How the run stands, in the one place where that is told, and what can be done with it.
class RunHeader final : public QWidget {
  Q_OBJECT

 public:
  explicit RunHeader(RunSession& session, QWidget* parent = nullptr);

 Q_SIGNALS:
  void reportRequested();
  void folderRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void refreshProgress();

  RunSession& session_;
  QLabel* mark_;
  QLabel* headline_;
  QLabel* detail_;
  QLabel* eta_;
  QProgressBar* bar_;
  QToolButton* pause_;
  QToolButton* cancel_;
  QToolButton* report_;
  QToolButton* openFolder_;
};

}  // namespace rackwright::gui
