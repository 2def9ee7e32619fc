#pragma once

#include <cstdint>
#include <vector>

#include "sim/serving/instance.h"
#include "sim/serving/router.h"

namespace rackwright::serving {

/// Told when an instance's count of outstanding requests has changed.
class LoadWatcher {
 public:
  virtual ~LoadWatcher() = default;
  virtual void on_load_changed(std::uint32_t member) = 0;
};

/// The instances that serve one model, over all its pools, in order of pool and replica. Routers see those that take
/// requests, numbered without gaps; all of them are members, whose numbers stay.
/// Keeps those that take requests in a heap by (outstanding, member), so that the least loaded is known at any size.
class InstanceGroup final : public RoutingView {
 public:
  void add(Instance& instance);
  std::uint32_t members() const { return static_cast<std::uint32_t>(instances_.size()); }
  Instance& member(std::uint32_t number) const { return *instances_[number]; }
  /// As routers number them.
  Instance& operator[](std::uint32_t index) { return *instances_[active_[index]]; }
  const Instance& operator[](std::uint32_t index) const { return *instances_[active_[index]]; }

  enum class Takes { requests, nothing };
  void set_active(std::uint32_t member, Takes what);
  void watch(std::uint32_t member, LoadWatcher& watcher) { watchers_[member] = &watcher; }
  /// To be called whenever the instance's count of outstanding requests has changed.
  void on_load_changed(std::uint32_t member);
  void count_routed() { ++routed_; }

  std::uint32_t size() const override { return static_cast<std::uint32_t>(active_.size()); }
  std::uint64_t routed() const override { return routed_; }
  int outstanding(std::uint32_t index) const override { return (*this)[index].outstanding(); }
  int waiting(std::uint32_t index) const override { return (*this)[index].waiting(); }
  std::uint32_t least_outstanding() const override;
  double kv_used(std::uint32_t index) const override;
  std::int64_t cached_tokens(std::uint32_t index, const Sequence& request) const override {
    return instances_[active_[index]]->cached_tokens(request);
  }
  SimTime estimated_first_token(std::uint32_t index, const Sequence& request) const override {
    return instances_[active_[index]]->estimated_first_token(request);
  }
  double cost_weight(std::uint32_t index) const override { return (*this)[index].spec().cost_weight; }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  bool less(std::uint32_t a, std::uint32_t b) const;
  void sift_up(std::uint32_t place);
  void sift_down(std::uint32_t place);
  void put(std::uint32_t place, std::uint32_t member);

  std::vector<Instance*> instances_;
  std::vector<LoadWatcher*> watchers_;  ///< By member; null: none.
  std::vector<std::uint32_t> active_;   ///< Members that take requests, ascending.
  std::vector<std::uint32_t> heap_;     ///< The same.
  std::vector<std::uint32_t> places_;   ///< Of each member in the heap.
  std::uint64_t routed_ = 0;
};

}  // namespace rackwright::serving
