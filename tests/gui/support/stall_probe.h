#pragma once

#include <time.h>

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>

namespace rackwright::test {

/// The longest turn of the event loop: by the clock on the wall, and by the processor time that its thread took. On a
/// machine that does nothing else the two agree; on a busy one the second tells what the program itself is to blame for.
class StallProbe final : public QObject {
 public:
  StallProbe() {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(1);
    connect(&timer_, &QTimer::timeout, this, &StallProbe::look);
    begin();
    timer_.start();
  }

  void begin() {
    wall_ms_ = 0;
    busy_ms_ = 0;
    since_.start();
    busySince_ms_ = threadTime_ms();
  }
  /// Also counts the turn that is under way.
  void look() {
    wall_ms_ = std::max(wall_ms_, static_cast<double>(since_.nsecsElapsed()) / 1e6);
    since_.start();
    const double now_ms = threadTime_ms();
    busy_ms_ = std::max(busy_ms_, now_ms - busySince_ms_);
    busySince_ms_ = now_ms;
  }
  double wall_ms() const { return wall_ms_; }
  double busy_ms() const { return busy_ms_; }

 private:
  static double threadTime_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }

  QTimer timer_;
  QElapsedTimer since_;
  double busySince_ms_ = 0;
  double wall_ms_ = 0;
  double busy_ms_ = 0;
};

}  // namespace rackwright::test
