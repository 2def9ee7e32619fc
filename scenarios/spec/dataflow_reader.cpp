#include "scenarios/spec/dataflow_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/hardware.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {

void read_dataflow_device(const v1::Device& device, std::optional<double> scale_up_latency_s, hardware::DeviceSpec& spec) {
  if (spec.device_class != hardware::DeviceClass::sram) return;
  const v1::DataflowDevice& dataflow = device.dataflow();
  spec.sync_s = effective_quantity(dataflow, v1::DataflowDevice::kSyncLatencyFieldNumber);
  spec.hop_s = dataflow.has_hop_latency() ? dataflow.hop_latency() : scale_up_latency_s;
  if (device.kind() != v1::DEVICE_KIND_WAFER) return;
  spec.mesh_cores = spec.compute_units;
  spec.shift_s = effective_quantity(dataflow, v1::DataflowDevice::kShiftLatencyFieldNumber);
  if (dataflow.has_product_rate()) spec.product_flop_per_s = dataflow.product_rate();
}

void read_dataflow(const v1::Pool& written, const std::string& path, const RackGroupSpec& racks, PoolSpec& pool, Findings& findings) {
  if (racks.device.device_class != hardware::DeviceClass::sram) {
    if (written.has_dataflow())
      findings.warning(path + ".dataflow", fmt::format("no effect: {} does not keep weights on chip", racks.device.name));
    return;
  }
  const auto idle = [&](bool given, const char* field) {
    if (given) findings.warning(fmt::format("{}.{}", path, field), "no effect: the devices of a stage share its layers", "give dataflow.stages instead");
  };
  idle(written.has_tensor_parallel(), "tensor_parallel");
  idle(written.has_pipeline_parallel(), "pipeline_parallel");
  idle(written.has_data_parallel(), "data_parallel");
  idle(written.has_expert_parallel(), "expert_parallel");
  idle(written.has_context_parallel(), "context_parallel");
  if (written.has_experts()) findings.warning(path + ".experts", "no effect: experts lie on chip like other weights");
  idle(written.has_stage_link(), "stage_link");
  pool.parallelism = {};
  if (written.has_execution()) findings.warning(path + ".execution", "no effect: a static schedule has no launches and no host between steps");

  const v1::DataflowPlacement& dataflow = written.dataflow();
  cost::DataflowPlacement placement;
  const int instances = written.has_replicas() ? written.replicas() : 1;
  placement.devices = dataflow.has_devices() ? dataflow.devices() : std::max(1, pool.devices.size() / instances);
  if (dataflow.has_stages()) placement.stages = dataflow.stages();
  if (dataflow.has_weights()) placement.weight_bytes = dataflow.weights();
  if (dataflow.has_region()) placement.region_side = dataflow.region();
  if (dataflow.has_prompt_region()) placement.prompt_region_side = dataflow.prompt_region();
  const auto of_wafers = [&](bool given, const char* field) {
    if (given && !racks.device.mesh_cores)
      findings.warning(fmt::format("{}.dataflow.{}", path, field), fmt::format("no effect: {} is no wafer", racks.device.name));
  };
  of_wafers(dataflow.has_region(), "region");
  of_wafers(dataflow.has_prompt_region(), "prompt_region");
  pool.dataflow = placement;
  if (!written.kv_cache().has_memory_fraction()) pool.kv_cache.memory_fraction = 1;
}

}  // namespace rackwright::scenarios
