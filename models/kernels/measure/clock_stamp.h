#pragma once

#include <cuda_runtime.h>

#include <vector>

namespace rackwright::kernels {

/// Mean SM clock between pairs of moments on a stream, from each SM's own cycle counter against the
/// global timer: what the clocks really were, where a driver's reading is a sample.
class ClockStamps {
 public:
  /// Room for `pairs` pairs.
  ClockStamps(int sms, int pairs);
  ~ClockStamps();
  ClockStamps(const ClockStamps&) = delete;
  ClockStamps& operator=(const ClockStamps&) = delete;

  void begin(int pair, cudaStream_t stream) { stamp(2 * pair, stream); }
  void end(int pair, cudaStream_t stream) { stamp(2 * pair + 1, stream); }
  /// MHz over the first `pairs` pairs together. The stream must have been waited for.
  double mean_mhz(int pairs) const;
  /// What each of the first `pairs` pairs says by itself. The stream must have been waited for.
  struct Span {
    double seconds = 0;  ///< On the device's timer.
    double mhz = 0;
  };
  std::vector<Span> spans(int pairs) const;
  /// Seconds between the two moments of a pair, on the device's timer. The stream must have been waited for.
  double seconds(int pair) const;

 private:
  struct Moment {
    long long cycles;
    long long nanoseconds;
  };
  void stamp(int index, cudaStream_t stream);
  Span span_of(const std::vector<Moment>& moments, int pair) const;
  std::vector<Moment> on_host(int pairs) const;

  int sms_;
  int pairs_;
  Moment* moments_ = nullptr;
};

}  // namespace rackwright::kernels
