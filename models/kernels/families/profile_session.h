#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/invariant.h"
#include "models/kernels/device/arena.h"
#include "models/kernels/device/check.h"
#include "models/kernels/device/device_facts.h"
#include "models/kernels/measure/bench.h"
#include "models/kernels/operators/cudnn_attention.h"
#include "models/kernels/operators/gemm.h"
#include "models/kernels/operators/grouped_gemm.h"

namespace rackwright::kernels {

/// What the families of one run share. The current device is the measured one.
struct ProfileSession {
  const DeviceFacts& facts;
  const Nvml& nvml;
  Arena& arena;
  Bench& bench;
  const BlasLt& blas_lt;
  const Blas& blas;
  const Cudnn& cudnn;
  std::uint64_t seed = 0;  ///< Of off-grid shapes and uneven lengths.
  int every = 1;           ///< Take every n-th case only: a trial run.
};

/// Every n-th of `cases`.
template <class Case>
std::vector<Case> thinned(const std::vector<Case>& cases, int every) {
  std::vector<Case> kept;
  for (std::size_t i = 0; i < cases.size(); i += every) kept.push_back(cases[i]);
  return kept;
}

/// Builds the operation, times it and adds the row; a DeviceError becomes a skipped row with its reason.
/// Throws EnvironmentError when the device is lost to later cases too.
template <class Make>
void time_case(ProfileSession& session, ProfileTable& table, const std::vector<std::string>& shape, Mode mode, const Make& make) {
  const ArenaScope scope(session.arena);
  try {
    const std::unique_ptr<Operation> operation = make();
    table.add(shape, session.bench.time(*operation, mode));
  } catch (const DeviceError& error) {
    table.skip(shape, name_of(mode), error.what());
    if (cudaDeviceSynchronize() != cudaSuccess) throw EnvironmentError(std::string("the device no longer answers: ") + error.what());
  }
}

}  // namespace rackwright::kernels
