#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>

namespace rackwright::test {

/// How long the event loop was away at most: a timer of a millisecond tells how late it comes.
class StallProbe final : public QObject {
 public:
  StallProbe() {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(1);
    connect(&timer_, &QTimer::timeout, this, [this] {
      longest_ms_ = std::max(longest_ms_, since_.restart());
    });
    begin();
    timer_.start();
  }

  void begin() {
    longest_ms_ = 0;
    since_.start();
  }
  qint64 longest_ms() const { return std::max(longest_ms_, since_.elapsed()); }

 private:
  QTimer timer_;
  QElapsedTimer since_;
  qint64 longest_ms_ = 0;
};

}  // namespace rackwright::test
