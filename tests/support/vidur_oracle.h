#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "sim/serving/serving_system.h"
#include "traces/records/request.h"

namespace rackwright::test {

/// The Vidur run in data/oracles/vidur-sarathi: its latency tables as a cost model, its requests, its results.
/// The tables stay outside of the product; rules and numbers are those of that folder's README.
struct VidurRequest {
  traces::Request request;
  double scheduled_s = 0;
  double prefill_completed_s = 0;
  double completed_s = 0;
};

/// `folder` is data/oracles/vidur-sarathi.
std::vector<VidurRequest> load_vidur_requests(const std::filesystem::path& folder);
std::shared_ptr<const cost::StepCostModel> load_vidur_cost_model(const std::filesystem::path& folder);

/// One replica (or more) with Vidur's Sarathi scheduler: chunk 512, 48 sequences, 11,008 blocks of 16, watermark 110.
serving::ServingSpec vidur_serving(int replicas, std::shared_ptr<const cost::StepCostModel> cost, serving::Jumping jumping);

}  // namespace rackwright::test
