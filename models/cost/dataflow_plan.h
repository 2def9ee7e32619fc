#pragma once

#include <optional>
#include <string>

#include "models/base/diagnostic.h"
#include "models/cost/memory_plan.h"
#include "models/hardware/device_spec.h"
#include "models/llm/model_shape.h"

namespace rackwright::cost {

/// How an instance lies on devices that keep weights on chip (class sram): `devices` of them as a pipeline of `stages`,
/// each of which computes whole layers. The devices of a stage, or the cores of a wafer's region, share every layer.
struct DataflowPlacement {
  int devices = 1;
  std::optional<int> stages = {};           ///< Absent: see default_stages.
  std::optional<double> weight_bytes = {};  ///< Of the compiled model, where it is known; absent: from shape and formats.
  std::optional<int> prompt_region_side = {};  ///< The same of the region that computes prompts; absent: see default_prompt_region_side.
  std::optional<int> region_side = {};      ///< Wafers: cores along a side of the region of a stage; absent: see default_region_side.
};

/// Where weights lie. Off chip they are read anew for every beat.
enum class WeightTier { on_chip, off_chip };

/// What lies where over all devices of an instance, as a compiler places it: evenly, by capacity.
struct DataflowPlan {
  int devices = 1;
  int stages = 1;
  int layers = 1;
  int region_side = 0;           ///< 0: no wafer.
  int prompt_region_side = 0;    ///< Of a wafer, on which prompts pass one layer after another; 0: no wafer.
  double stage_devices = 1;      ///< That work on one layer; a part of one where several stages share a wafer.
  int devices_for_weights = 1;   ///< Least devices whose on-chip memory holds the weights.
  int beat_tokens = 1;           ///< Most tokens that pass a stage together.

  WeightTier weights = WeightTier::on_chip;
  double on_chip_bytes = 0;
  double off_chip_bytes = 0;
  double weight_bytes = 0;
  double activation_bytes = 0;
  double kv_on_chip_bytes = 0;   ///< What weights and activations leave.
  double kv_off_chip_bytes = 0;  ///< KV that does not fit on the chips.
  double kv_bytes_per_token = 0;
  std::int64_t kv_blocks = 0;

  /// Of the slowest stage, in parts of the whole pass: ceil(layers / stages) / layers. Embedding and LM head are spread.
  double slowest_stage() const;
  /// How often a beat goes from one device to another on its way; stages that share a wafer hand over inside it.
  int handovers() const { return (stage_devices < 1 ? devices : stages) - 1; }
  /// As of one device of many, for readers that know no tiers.
  MemoryPlan per_device(int block_tokens) const;
};

/// One stage a layer, or the fewest stages with as few layers each, when the chips hold the weights; wafers have a place
/// for each region that they hold. One stage over all devices when weights come from off-chip memory, so that all of its
/// bandwidth serves each token.
int default_stages(const llm::ModelShape& model, const hardware::DeviceSpec& device, int devices, WeightTier weights, int region_side);

/// The side for which a token at batch one passes fastest. A region of r² cores computes in A / r² and reduces in B · r:
/// r = (2 A / B)^(1/3), in steps of 20 cores, at most the wafer.
int default_region_side(const llm::ModelShape& model, const hardware::DeviceSpec& device);

/// The side for which 2,048 tokens pass fastest: as above, with the shifts of the tiles of every product in place of the reductions.
int default_prompt_region_side(const llm::ModelShape& model, const hardware::DeviceSpec& device);

/// Divides the memory of an instance: weights, two buffers of activations for a beat in each stage, and KV cache in the
/// rest of the on-chip memory, then off chip. Nothing is returned, and an error says what does not fit, when weights do
/// not, or not one KV block.
std::optional<DataflowPlan> dataflow_plan(const llm::ModelShape& model, const hardware::DeviceSpec& device, const DataflowPlacement& placement,
                                          const MemorySpec& memory, const Location& where, const std::string& path,
                                          Diagnostics& diagnostics);

}  // namespace rackwright::cost
