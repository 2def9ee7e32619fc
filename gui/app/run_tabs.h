#pragma once

#include <QObject>

#include "gui/run/run_process.h"

class QTabWidget;

namespace rackwright::gui {

class RunView;
class ScenarioDocument;

/// The runs in the window, a tab each beside the scenario.
class RunTabs final : public QObject {
  Q_OBJECT

 public:
  RunTabs(QTabWidget& tabs, QObject* parent = nullptr);

  /// Simulates the document: a changed file is saved first, a document without a file runs from a copy. Returns an
  /// empty text, or why nothing was started.
  [[nodiscard]] QString start(ScenarioDocument& document, const QString& scratchFolder, StepKeeping steps);
  /// Opens a run folder or a stream; one that is open already comes to the front.
  RunView* open(const QString& path);
  RunView* current() const;
  int active() const;

 Q_SIGNALS:
  void changed();
  void runOpened(const QString& folder);
  void openRequested(const QUrl& url);

 private:
  RunView* add();
  void close(int index);
  void retitle(RunView* view);

  QTabWidget& tabs_;
};

}  // namespace rackwright::gui
