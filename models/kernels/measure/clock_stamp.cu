#include <algorithm>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/clock_stamp.h"

namespace rackwright::kernels {
namespace {

/// Blocks may share an SM; the last one there wins, which is as good as the first.
__global__ void write_moments(longlong2* moments) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  long long nanoseconds;
  const long long cycles = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  moments[sm] = {cycles, nanoseconds};
}

}  // namespace

ClockStamps::ClockStamps(int sms, int pairs) : sms_(sms), pairs_(pairs) {
  check(cudaMalloc(reinterpret_cast<void**>(&moments_), sizeof(Moment) * 2 * pairs * sms));
  check(cudaMemset(moments_, 0, sizeof(Moment) * 2 * pairs * sms));
}

ClockStamps::~ClockStamps() { cudaFree(moments_); }

void ClockStamps::stamp(int index, cudaStream_t stream) {
  static_assert(sizeof(Moment) == sizeof(longlong2));
  auto* out = reinterpret_cast<longlong2*>(moments_ + static_cast<std::size_t>(index) * sms_);
  check(cudaMemsetAsync(out, 0, sizeof(Moment) * sms_, stream));
  write_moments<<<2 * sms_, 32, 0, stream>>>(out);
  check_launch();
}

std::vector<ClockStamps::Moment> ClockStamps::on_host(int pairs) const {
  std::vector<Moment> moments(static_cast<std::size_t>(2) * pairs * sms_);
  check(cudaMemcpy(moments.data(), moments_, moments.size() * sizeof(Moment), cudaMemcpyDeviceToHost));
  return moments;
}

double ClockStamps::mean_mhz(int pairs) const {
  const auto moments = on_host(pairs);
  double cycles = 0, nanoseconds = 0;
  for (int pair = 0; pair < pairs; ++pair)
    for (int sm = 0; sm < sms_; ++sm) {
      const Moment& from = moments[static_cast<std::size_t>(2 * pair) * sms_ + sm];
      const Moment& to = moments[static_cast<std::size_t>(2 * pair + 1) * sms_ + sm];
      // An SM without a block at one of the moments tells nothing.
      if (from.nanoseconds == 0 || to.nanoseconds <= from.nanoseconds) continue;
      cycles += static_cast<double>(to.cycles - from.cycles);
      nanoseconds += static_cast<double>(to.nanoseconds - from.nanoseconds);
    }
  return nanoseconds > 0 ? cycles / nanoseconds * 1e3 : 0;
}

ClockStamps::Span ClockStamps::span_of(const std::vector<Moment>& moments, int pair) const {
  long long first = 0, last = 0;
  double cycles = 0, nanoseconds = 0;
  for (int sm = 0; sm < sms_; ++sm) {
    const Moment& from = moments[static_cast<std::size_t>(2 * pair) * sms_ + sm];
    const Moment& to = moments[static_cast<std::size_t>(2 * pair + 1) * sms_ + sm];
    first = std::max(first, from.nanoseconds);
    last = std::max(last, to.nanoseconds);
    if (from.nanoseconds == 0 || to.nanoseconds <= from.nanoseconds) continue;
    cycles += static_cast<double>(to.cycles - from.cycles);
    nanoseconds += static_cast<double>(to.nanoseconds - from.nanoseconds);
  }
  return {static_cast<double>(last - first) * 1e-9, nanoseconds > 0 ? cycles / nanoseconds * 1e3 : 0};
}

std::vector<ClockStamps::Span> ClockStamps::spans(int pairs) const {
  const auto moments = on_host(pairs);
  std::vector<Span> spans;
  for (int pair = 0; pair < pairs; ++pair) spans.push_back(span_of(moments, pair));
  return spans;
}

double ClockStamps::seconds(int pair) const { return span_of(on_host(pair + 1), pair).seconds; }

}  // namespace rackwright::kernels
