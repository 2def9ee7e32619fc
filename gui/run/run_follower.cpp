#include "gui/run/run_follower.h"

#include <QFileInfo>
#include <QTimer>
#include <chrono>
#include <optional>
#include <utility>

#include "gui/run/live_series.h"
#include "scenarios/results/run_stream.h"

namespace rackwright::gui {
namespace {

using namespace std::chrono_literals;

/// As often as an eye follows a chart, seldom enough to leave the processor to the simulation.
constexpr auto period = 300ms;
/// Records that are read in one go, so that a stop is heard soon.
constexpr int mostRecords = 400;

/// Lives in the follower's thread.
class StreamFollower final : public QObject {
 public:
  StreamFollower(RunFollower& owner, const QString& stream) : owner_(owner), stream_(stream), timer_(this) {
    timer_.setInterval(period);
    connect(&timer_, &QTimer::timeout, this, &StreamFollower::look);
    timer_.start();
  }

 private:
  void look() {
    try {
      if (!reader_) {
        if (!QFileInfo::exists(stream_)) return;
        reader_.emplace(stream_.toStdString());
      }
      for (int i = 0; i < mostRecords; ++i) {
        auto record = reader_->next();
        if (!record) break;
        take(*record);
        untold_ = true;
      }
      if (untold_ && series_) tell();
    } catch (const std::exception& problem) {
      timer_.stop();
      Q_EMIT owner_.failed(QString::fromUtf8(problem.what()));
    }
  }

  void take(const results::StreamRecord& record) {
    if (const auto* run = std::get_if<results::RunDescription>(&record)) {
      run_ = std::make_shared<const results::RunDescription>(*run);
      series_.emplace(*run_);
    } else if (const auto* requests = std::get_if<std::vector<results::RequestOutcome>>(&record)) {
      series_->add(*requests);
    } else if (const auto* sample = std::get_if<results::LiveSample>(&record)) {
      series_->add(*sample);
    }
  }

  /// Whoever shows views holds the last one it took. As long as the one before the last is alive, the last one still
  /// waits to be taken, and another would only add to what waits.
  void tell() {
    if (!beforeLast_.expired()) return;
    auto view = std::make_shared<const LiveView>(LiveView{run_, series_->plots(), series_->requests(), series_->now_s()});
    beforeLast_ = std::exchange(last_, view);
    untold_ = false;
    Q_EMIT owner_.updated(std::move(view));
  }

  RunFollower& owner_;
  QString stream_;
  QTimer timer_;
  std::optional<results::RunStreamReader> reader_;
  std::shared_ptr<const results::RunDescription> run_;
  std::optional<LiveSeries> series_;
  bool untold_ = false;
  std::weak_ptr<const LiveView> last_;
  std::weak_ptr<const LiveView> beforeLast_;
};

}  // namespace

RunFollower::RunFollower(QObject* parent) : QObject(parent) {
  qRegisterMetaType<std::shared_ptr<const LiveView>>();
  thread_.setObjectName(QStringLiteral("follow run"));
}

RunFollower::~RunFollower() { stop(); }

void RunFollower::start(const QString& stream) {
  stop();
  reader_ = new StreamFollower(*this, stream);
  reader_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, reader_, &QObject::deleteLater);
  thread_.start(QThread::LowPriority);
}

void RunFollower::stop() {
  if (!thread_.isRunning()) return;
  thread_.quit();
  thread_.wait();
}

}  // namespace rackwright::gui
