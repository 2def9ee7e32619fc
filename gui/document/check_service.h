#pragma once

#include <QObject>
#include <QThread>
#include <QTimer>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gui/document/scenario_snapshot.h"

namespace rackwright::gui {

class CheckWorker;
class ScenarioDocument;

/// What follows from a pool of a feasible scenario.
struct PoolFacts {
  std::string name;
  std::int64_t instances = 0;
  std::int64_t devicesPerInstance = 1;
  std::int64_t kvBlocks = 0;
};

/// What the check says of one version of a scenario.
struct CheckResult {
  SharedSnapshot snapshot;
  std::vector<Diagnostic> findings;
  /// With presets expanded, defaults filled in and derived values; null when there were errors.
  std::shared_ptr<const v1::Scenario> resolved;
  std::vector<PoolFacts> pools;

  int errors() const;
  int warnings() const;
};

using SharedCheckResult = std::shared_ptr<const CheckResult>;

/// Checks one version here and now.
SharedCheckResult check(SharedSnapshot snapshot);

/// Checks the document a moment after each change, in a thread of its own. While one check is under way, only
/// the newest version waits; the result of an outdated check is dropped.
class CheckService final : public QObject {
  Q_OBJECT

 public:
  CheckService(ScenarioDocument& document, std::chrono::milliseconds pause, QObject* parent = nullptr);
  ~CheckService() override;

  /// Null until the first check of this document is done.
  const SharedCheckResult& result() const { return result_; }
  /// Whether the result is of an older version than the document.
  bool isPending() const { return timer_.isActive() || busy_; }

 Q_SIGNALS:
  void started();
  void checked();

 private:
  void begin();
  void take(SharedCheckResult result);

  ScenarioDocument& document_;
  SharedCheckResult result_;
  QTimer timer_;
  QThread thread_;
  CheckWorker* worker_;  ///< Lives in the thread.
  bool busy_ = false;
  bool again_ = false;
};

}  // namespace rackwright::gui
