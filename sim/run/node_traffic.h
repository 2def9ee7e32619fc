#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/cost/attention_ffn_step_cost.h"
#include "sim/engine/slot_table.h"
#include "sim/fabric/device_fabric.h"
#include "sim/serving/step_traffic.h"

namespace rackwright::run {

/// One flow of a step: from devices to others, so many bytes for each token that the step computes and each that it samples.
struct TrafficLeg {
  topologies::DeviceSet from;
  topologies::DeviceSet to;
  double bytes_per_token = 0;
  double priced_bytes_per_s = 0;  ///< At which the cost of a step has them sent, beside the start.
  std::optional<cost::TransferMechanism> mechanism{};  ///< Absent: what the way between them takes.
  double bytes_per_sample = 0;
};

/// What the steps of one instance send. Steps take turns over the rounds: an exchange of all nodes with all is one of each
/// node with the next in one step, with the one after that in the other, so that every pair has its share.
struct InstanceTraffic {
  /// longest  a step waits for all legs at once
  /// sum      it waits for one after the other
  enum class Lateness { longest, sum };

  std::vector<std::vector<TrafficLeg>> rounds;
  /// Of an attention pool: its first leg of a round goes to the feed-forward side, the second comes back, and a step gets as much longer
  /// as its layers do when their exchange takes so many times as long. Null: as much as the legs were late.
  std::shared_ptr<const cost::AttentionFfnStepCost> layers{};
  Lateness lateness = Lateness::longest;
};

/// Carries what steps send over the network of the hall, as flows that share its links with all others.
class NodeTraffic final : public serving::StepTraffic, private fabric::DeviceTransferHandler {
 public:
  /// `traffic` by instance; `network` may be null when no instance has any.
  NodeTraffic(engine::Engine& engine, fabric::DeviceFabric* network, std::vector<InstanceTraffic> traffic);

  bool carries(std::uint32_t instance) const override;
  bool begin(std::uint32_t instance, const cost::StepShape& step, serving::StepTrafficHandler& handler) override;

 private:
  struct Step {
    serving::StepTrafficHandler* handler = nullptr;
    SimTime began;
    std::uint32_t under_way = 0;
    SimTime late = {};
    InstanceTraffic::Lateness lateness = InstanceTraffic::Lateness::longest;
    const cost::AttentionFfnStepCost* layers = nullptr;
    cost::AttentionFfnStepCost::Exchange exchange = {};
    std::array<double, 2> stretched{1, 1};  ///< Times as long as alone, out and back.
  };
  struct Flow {
    std::uint32_t step = 0;
    SimTime priced;
    std::size_t leg = 0;
  };

  void on_device_transfer_done(fabric::DeviceTransferId transfer, std::uint64_t slot) override;
  engine::RateReports reports() const override { return engine::RateReports::none; }

  engine::Engine& engine_;
  fabric::DeviceFabric* network_;
  std::vector<InstanceTraffic> traffic_;
  std::vector<std::uint64_t> steps_begun_;  ///< By instance.
  engine::SlotTable<Step> steps_;
  engine::SlotTable<Flow> flows_;
};

}  // namespace rackwright::run
