#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "gui/document/recovery_store.h"

namespace rackwright::gui {

class ScenarioDocument;

/// Keeps unsaved changes in the recovery store a moment after they were made, and takes them out of it once
/// they are saved. The disk is never waited for.
class Autosave final : public QObject {
  Q_OBJECT

 public:
  Autosave(ScenarioDocument& document, std::shared_ptr<const RecoveryStore> store, QObject* parent = nullptr);
  ~Autosave() override;

  /// Writes what is pending and waits for it.
  void flush();

 Q_SIGNALS:
  void failed(const QString& problem);

 private:
  void write();

  ScenarioDocument& document_;
  std::shared_ptr<const RecoveryStore> store_;
  QTimer timer_;
  QThreadPool writer_;
};

}  // namespace rackwright::gui
