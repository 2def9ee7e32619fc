#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/kernels/families/profile_session.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// One part of the one-GPU profile: measures into tables, the grid first, then the off-grid checks.
struct Family {
  std::string name;
  std::function<void(ProfileSession&, std::vector<ProfileTable>&)> measure;
};

void measure_gemm(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_grouped_gemm(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_prefill(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_decode(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_mla(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_layer(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_launch(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_host_copy(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_step(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_energy(ProfileSession& session, std::vector<ProfileTable>& tables);
void measure_throttle(ProfileSession& session, std::vector<ProfileTable>& tables);

/// In the order they run: the ones that heat the card come last.
std::vector<Family> one_gpu_families();

}  // namespace rackwright::kernels
