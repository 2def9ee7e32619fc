#include "models/kernels/serve/run_clock.h"

#include <thread>

namespace rackwright::kernels {

using Seconds = std::chrono::duration<double>;

double RunClock::now_s() const { return Seconds(std::chrono::steady_clock::now() - start_).count(); }

void RunClock::wait_until(double moment_s) const {
  constexpr double watched_s = 1e-3;
  const double left = moment_s - now_s();
  if (left > watched_s) std::this_thread::sleep_for(Seconds(left - watched_s));
  while (now_s() < moment_s) {
  }
}

}  // namespace rackwright::kernels
