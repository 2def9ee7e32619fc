#include "scenarios/spec/hall_reader.h"

#include <cstdint>

#include <fmt/format.h>

#include "scenarios/schema/hardware.pb.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/dataflow_reader.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

template <class Value>
std::optional<Value> given(bool has, Value value) {
  return has ? std::optional<Value>(value) : std::nullopt;
}

hardware::DeviceClass device_class(v1::DeviceKind kind) {
  switch (kind) {
    case v1::DEVICE_KIND_TPU: return hardware::DeviceClass::tpu;
    case v1::DEVICE_KIND_NPU: return hardware::DeviceClass::npu;
    case v1::DEVICE_KIND_SRAM:
    case v1::DEVICE_KIND_WAFER:
    case v1::DEVICE_KIND_DATAFLOW: return hardware::DeviceClass::sram;
    case v1::DEVICE_KIND_CPU: return hardware::DeviceClass::cpu;
    default: return hardware::DeviceClass::gpu;
  }
}

hardware::PeakRates peak_rates(const v1::PeakRates& peak) {
  hardware::PeakRates rates;
  rates.fp32_flop_per_s = given(peak.has_fp32(), peak.fp32());
  rates.bf16_flop_per_s = given(peak.has_bf16(), peak.bf16());
  rates.fp8_flop_per_s = given(peak.has_fp8(), peak.fp8());
  rates.fp4_flop_per_s = given(peak.has_fp4(), peak.fp4());
  rates.int8_op_per_s = given(peak.has_int8(), peak.int8());
  return rates;
}

/// Far more than any hall holds; device numbers of a group then fit their type.
constexpr std::int64_t most_devices = 10'000'000;

void limit_devices(const std::string& path, RackGroupSpec& group, Findings& findings) {
  const std::int64_t devices = std::int64_t{group.racks} * group.nodes_per_rack * group.devices_per_node;
  if (devices <= most_devices) return;
  findings.error(path, fmt::format("{} devices are more than {}, the most of one group of racks", devices, most_devices));
  group.racks = group.nodes_per_rack = 1;
}

RackGroupSpec rack_group(const v1::RackPlacement& placement, const std::string& path, Findings& findings) {
  const v1::Rack& rack = placement.rack();
  const v1::Node& node = rack.node();
  RackGroupSpec group;
  group.name = placement.name();
  group.title = rack.has_title() ? rack.title() : placement.name();
  group.racks = placement.has_count() ? placement.count() : 1;
  group.nodes_per_rack = rack.has_nodes() ? rack.nodes() : 1;
  group.devices_per_node = node.devices();
  limit_devices(path, group, findings);
  group.device = device_spec(node.device());
  if (node.device().profile() != "none") group.profile = node.device().profile();
  group.calibrated_from = node.device().calibrated_from();

  const v1::ScaleUp& scale_up = rack.scale_up();
  group.scale_up_devices = scale_up.has_devices() ? scale_up.devices() : 1;
  group.scale_up_latency_s = given(scale_up.has_latency(), scale_up.latency());
  read_dataflow_device(node.device(), group.scale_up_latency_s, group.device);
  group.in_network_reduction = scale_up.in_network_reduction();
  group.collectives_follow_link = scale_up.collectives() == v1::COLLECTIVE_MODEL_LINK;
  if (group.collectives_follow_link && !group.scale_up_latency_s) {
    findings.error(path + ".rack.scale_up.latency", "collectives that follow the link need its latency", "such as '20 us'");
  }
  group.nics_per_node = node.nics();
  group.nic_bytes_per_s = given(node.nic().has_bandwidth(), node.nic().bandwidth());
  group.node_base_power_w = given(node.has_base_power(), node.base_power());
  group.rack_base_power_w = given(rack.has_base_power(), rack.base_power());
  group.rack_power_budget_w = given(rack.has_power_budget(), rack.power_budget());
  group.rack_height_u = given(rack.has_height(), rack.height());

  if (!rack.has_node()) findings.error(path + ".rack", "the rack has no node", "name a preset of 'rackwright list racks', or give 'node'");
  const int per_rack = group.devices_per_rack();
  if (per_rack > 0 && group.scale_up_devices > per_rack) {
    findings.error(path + ".rack.scale_up.devices",
                   fmt::format("a scale-up domain of {} devices does not fit a rack of {}", group.scale_up_devices, per_rack),
                   "a domain never spans racks");
  } else if (per_rack > 0 && per_rack % group.scale_up_devices != 0) {
    findings.error(path + ".rack.scale_up.devices",
                   fmt::format("{} devices of a rack do not divide into domains of {}", per_rack, group.scale_up_devices));
  }
  return group;
}

}  // namespace

hardware::DeviceSpec device_spec(const v1::Device& device) {
  hardware::DeviceSpec spec;
  spec.name = device.has_preset() ? device.preset() : device.title();
  spec.device_class = device_class(device.kind());
  spec.peak = peak_rates(device.peak());
  const v1::AchievedRates& achieved = device.achieved();
  spec.achieved_bf16_fraction = given(achieved.has_bf16(), achieved.bf16());
  spec.achieved_fp8_fraction = given(achieved.has_fp8(), achieved.fp8());
  spec.achieved_memory_fraction = given(achieved.has_memory(), achieved.memory());
  spec.achieved_attention_fraction = given(achieved.has_attention(), achieved.attention());
  const v1::DeviceMemory& memory = device.memory();
  spec.memory_bytes = given(memory.has_capacity(), memory.capacity());
  spec.memory_bytes_per_s = given(memory.has_bandwidth(), memory.bandwidth());
  const v1::OnChipMemory& on_chip = device.on_chip();
  const bool holds_weights = spec.device_class == hardware::DeviceClass::sram;
  (holds_weights ? spec.sram_bytes : spec.l2_bytes) = given(on_chip.has_capacity(), on_chip.capacity());
  (holds_weights ? spec.sram_bytes_per_s : spec.l2_bytes_per_s) = given(on_chip.has_bandwidth(), on_chip.bandwidth());
  spec.compute_units = given(device.has_multiprocessors(), static_cast<int>(device.multiprocessors()));
  spec.max_clock_hz = given(device.has_max_clock(), device.max_clock());
  spec.idle_power_w = given(device.power().has_idle(), device.power().idle());
  spec.limit_power_w = given(device.power().has_limit(), device.power().limit());
  spec.active_power_fraction = given(device.power().has_active(), device.power().active());
  spec.memory_power_fraction = given(device.power().has_memory(), device.power().memory());
  spec.compute_power_fraction = given(device.power().has_compute(), device.power().compute());
  spec.scale_up_link = device.links().technology();
  spec.scale_up_bytes_per_s = given(device.links().has_scale_up(), device.links().scale_up());
  spec.host_link_bytes_per_s = given(device.links().has_host(), device.links().host());
  return spec;
}

namespace {

/// Puts a group into the racks of an earlier one.
void stand_in(const v1::RackPlacement& placement, const HallSpec& hall, const std::string& path, RackGroupSpec& group, Findings& findings) {
  const std::optional<int> owner = hall.find(placement.in());
  if (!owner || hall.groups[static_cast<std::size_t>(*owner)].stands_in) {
    findings.error(path + ".in", fmt::format("'{}' is the name of no racks above", placement.in()), "name racks that stand on their own, before this entry");
    return;
  }
  group.stands_in = owner;
  group.racks = hall.groups[static_cast<std::size_t>(*owner)].racks;
  group.rack_base_power_w = group.rack_power_budget_w = std::nullopt;
  group.rack_height_u = std::nullopt;
  limit_devices(path, group, findings);
}

}  // namespace

HallSpec hall_spec(const v1::Facility& facility, Findings& findings) {
  HallSpec hall;
  for (int i = 0; i < facility.racks_size(); ++i) {
    const std::string path = fmt::format("facility.racks[{}]", i);
    if (hall.find(facility.racks(i).name())) {
      findings.error(path + ".name", fmt::format("the name '{}' is taken already", facility.racks(i).name()), "names of racks are unique");
    }
    if (facility.racks(i).name().empty()) findings.error(path + ".name", "racks need a name");
    RackGroupSpec group = rack_group(facility.racks(i), path, findings);
    if (facility.racks(i).has_in()) stand_in(facility.racks(i), hall, path, group, findings);
    hall.groups.push_back(std::move(group));
  }
  return hall;
}

}  // namespace rackwright::scenarios
