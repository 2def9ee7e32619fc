#pragma once

#include <cstdint>

#include "models/kernels/families/profile_session.h"

namespace rackwright::kernels {

/// All that measuring on the current device takes, in one piece: its libraries, its memory but for what they and graphs need.
class GpuSession {
 public:
  GpuSession(DeviceFacts facts, std::uint64_t seed, int every);

  ProfileSession& session() { return session_; }
  ProfileHeader header() const { return profile_header(facts_, nvml_, session_.seed); }

 private:
  DeviceFacts facts_;
  Nvml nvml_;
  BlasLt blas_lt_;
  Blas blas_;
  Cudnn cudnn_;
  Bench bench_;
  Arena arena_;
  ProfileSession session_;
};

}  // namespace rackwright::kernels
