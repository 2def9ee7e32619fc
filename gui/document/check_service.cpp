#include "gui/document/check_service.h"

#include <algorithm>
#include <exception>

#include "gui/document/scenario_document.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

int countOf(const std::vector<Diagnostic>& findings, Severity severity) {
  return static_cast<int>(std::ranges::count(findings, severity, &Diagnostic::severity));
}

SharedCheckResult checkWith(SharedSnapshot snapshot, const scenarios::Catalog& catalog) {
  auto result = std::make_shared<CheckResult>();
  result->snapshot = std::move(snapshot);
  try {
    scenarios::CheckedScenario checked = scenarios::check_scenario(result->snapshot->file(), result->snapshot->text(), {}, catalog);
    result->findings = checked.diagnostics.all();
    if (!checked.diagnostics.has_errors()) {
      for (std::size_t i = 0; i < checked.spec.pools.size() && i < checked.plans.size(); ++i) {
        const scenarios::PoolSpec& pool = checked.spec.pools[i];
        result->pools.push_back({pool.name, pool.instances, llm::device_count(pool.parallelism), checked.plans[i].kv_blocks});
      }
      result->resolved = std::move(checked.resolved);
    }
  } catch (const std::exception& failure) {
    // A file that cannot be read, or a bug of the check: neither may take the editor along.
    result->findings.push_back({Severity::error, {result->snapshot->file()}, "", failure.what(), ""});
  }
  return result;
}

}  // namespace

int CheckResult::errors() const { return countOf(findings, Severity::error); }
int CheckResult::warnings() const { return countOf(findings, Severity::warning); }

SharedCheckResult check(SharedSnapshot snapshot) { return checkWith(std::move(snapshot), scenarios::Catalog()); }

/// A catalog fills itself while it is read, so the thread of the checks has its own.
class CheckWorker final : public QObject {
 public:
  SharedCheckResult check(SharedSnapshot snapshot) const { return checkWith(std::move(snapshot), catalog_); }

 private:
  const scenarios::Catalog catalog_;
};

CheckService::CheckService(ScenarioDocument& document, std::chrono::milliseconds pause, QObject* parent)
    : QObject(parent), document_(document), worker_(new CheckWorker) {
  timer_.setSingleShot(true);
  timer_.setInterval(pause);
  connect(&timer_, &QTimer::timeout, this, &CheckService::begin);
  connect(&document_, &ScenarioDocument::changed, this, [this](const DocumentChange& change) {
    if (change.kind == DocumentChange::Kind::loaded) result_.reset();
    if (!document_.isOpen()) return timer_.stop();
    timer_.start();
  });
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  thread_.setObjectName(QStringLiteral("check"));
  thread_.start(QThread::LowPriority);
}

CheckService::~CheckService() {
  thread_.quit();
  thread_.wait();
}

void CheckService::begin() {
  if (!document_.isOpen()) return;
  if (busy_) {
    again_ = true;
    return;
  }
  busy_ = true;
  Q_EMIT started();
  QMetaObject::invokeMethod(
      worker_,
      [this, snapshot = document_.current()] {
        SharedCheckResult result = worker_->check(snapshot);
        QMetaObject::invokeMethod(this, [this, result] { take(result); }, Qt::QueuedConnection);
      },
      Qt::QueuedConnection);
}

void CheckService::take(SharedCheckResult result) {
  busy_ = false;
  const bool again = std::exchange(again_, false);
  if (document_.isOpen() && result->snapshot == document_.current()) {
    result_ = std::move(result);
    Q_EMIT checked();
  } else if (again && !timer_.isActive()) {
    begin();
  }
}

}  // namespace rackwright::gui
