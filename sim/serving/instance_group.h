#pragma once

#include <cstdint>
#include <vector>

#include "sim/serving/instance.h"
#include "sim/serving/router.h"

namespace rackwright::serving {

/// The instances that serve one model, over all its pools, in order of pool and replica.
/// Keeps them in a heap by (outstanding, index), so that the least loaded is known at any size.
class InstanceGroup final : public RoutingView {
 public:
  void add(Instance& instance);
  Instance& operator[](std::uint32_t index) { return *instances_[index]; }
  const Instance& operator[](std::uint32_t index) const { return *instances_[index]; }
  /// To be called whenever the instance's count of outstanding requests has changed.
  void on_load_changed(std::uint32_t index);
  void count_routed() { ++routed_; }

  std::uint32_t size() const override { return static_cast<std::uint32_t>(instances_.size()); }
  std::uint64_t routed() const override { return routed_; }
  int outstanding(std::uint32_t index) const override { return instances_[index]->outstanding(); }
  int waiting(std::uint32_t index) const override { return instances_[index]->waiting(); }
  std::uint32_t least_outstanding() const override { return heap_.front(); }
  double kv_used(std::uint32_t index) const override;
  std::int64_t cached_tokens(std::uint32_t index, const Sequence& request) const override {
    return instances_[index]->cached_tokens(request);
  }
  SimTime estimated_first_token(std::uint32_t index, const Sequence& request) const override {
    return instances_[index]->estimated_first_token(request);
  }
  double cost_weight(std::uint32_t index) const override { return instances_[index]->spec().cost_weight; }

 private:
  bool less(std::uint32_t a, std::uint32_t b) const;
  void sift_up(std::uint32_t place);
  void sift_down(std::uint32_t place);
  void put(std::uint32_t place, std::uint32_t index);

  std::vector<Instance*> instances_;
  std::vector<std::uint32_t> heap_;    ///< Instance indices.
  std::vector<std::uint32_t> places_;  ///< Of each instance in the heap.
  std::uint64_t routed_ = 0;
};

}  // namespace rackwright::serving
