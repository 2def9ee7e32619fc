#pragma once

#include <QWidget>
#include <memory>

#include "gui/run/run_session.h"

class QLabel;
class QPlainTextEdit;
class QTabWidget;

namespace rackwright::gui {

class ChartsPage;
class OverviewPage;
class RequestsPage;
class StepsPage;
class TimelinePage;

/// One run: how it stands, and pages of what it shows. Pages appear as soon as there is something on them.
class RunView final : public QWidget {
  Q_OBJECT

 public:
  explicit RunView(QWidget* parent = nullptr);
  ~RunView() override;

  RunSession& session() { return session_; }
  QTabWidget& pages() { return *pages_; }
  RequestsPage& requests() { return *requests_; }
  StepsPage& steps() { return *steps_; }

 Q_SIGNALS:
  void openRequested(const QUrl& url);

 private:
  void showLive();
  void showResults();
  void showLog();
  void setPages();

  RunSession session_;
  QTabWidget* pages_;
  OverviewPage* overview_;
  ChartsPage* charts_;
  RequestsPage* requests_;
  TimelinePage* timeline_;
  StepsPage* steps_;
  QPlainTextEdit* log_;
  qsizetype logged_ = 0;
};

}  // namespace rackwright::gui
