#include "scenarios/check/stated_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "models/base/quantity.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/hardware.pb.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/hall_reader.h"

namespace rackwright::scenarios {
namespace {

/// Whether a device as written has more than a name.
bool gives_figures(v1::Device device) {
  device.clear_preset();
  device.clear_title();
  return device.ByteSizeLong() > 0;
}

/// Figures on which the times of operators depend and in which the devices differ, as paths below the device. Power, links and
/// the memory's capacity are no part of a kernel profile's times.
std::vector<std::string> changed_speeds(const hardware::DeviceSpec& stated, const hardware::DeviceSpec& measured) {
  std::vector<std::string> changed;
  const auto compare = [&](const auto& a, const auto& b, const char* path) {
    if (a != b) changed.emplace_back(path);
  };
  compare(stated.peak.fp32_flop_per_s, measured.peak.fp32_flop_per_s, "peak.fp32");
  compare(stated.peak.bf16_flop_per_s, measured.peak.bf16_flop_per_s, "peak.bf16");
  compare(stated.peak.fp8_flop_per_s, measured.peak.fp8_flop_per_s, "peak.fp8");
  compare(stated.peak.fp4_flop_per_s, measured.peak.fp4_flop_per_s, "peak.fp4");
  compare(stated.peak.int8_op_per_s, measured.peak.int8_op_per_s, "peak.int8");
  compare(stated.achieved_bf16_fraction, measured.achieved_bf16_fraction, "achieved.bf16");
  compare(stated.achieved_fp8_fraction, measured.achieved_fp8_fraction, "achieved.fp8");
  compare(stated.achieved_memory_fraction, measured.achieved_memory_fraction, "achieved.memory");
  compare(stated.achieved_attention_fraction, measured.achieved_attention_fraction, "achieved.attention");
  compare(stated.memory_bytes_per_s, measured.memory_bytes_per_s, "memory.bandwidth");
  compare(stated.l2_bytes, measured.l2_bytes, "on_chip.capacity");
  compare(stated.l2_bytes_per_s, measured.l2_bytes_per_s, "on_chip.bandwidth");
  compare(stated.compute_units, measured.compute_units, "multiprocessors");
  compare(stated.max_clock_hz, measured.max_clock_hz, "max_clock");
  return changed;
}

void leave_profile_out_if_changed(const Catalog& catalog, const std::string& path, RackGroupSpec& group, Findings& findings) {
  const auto* measured = dynamic_cast<const v1::Device*>(catalog.find("device", group.device.name));
  if (group.profile.empty() || measured == nullptr) return;
  const std::vector<std::string> changed = changed_speeds(group.device, device_spec(*measured));
  if (changed.empty()) return;
  findings.warning(fmt::format("{}.node.device.{}", path, changed.front()),
                   fmt::format("with another {} the device is not the {} that was measured: the measured profile '{}' is left out, and a "
                               "roofline of the stated figures prices its operators, as assumed",
                               fmt::join(changed, ", "), group.device.name, group.profile),
                   fmt::format("'profile: {}' beside them keeps the measured times, whatever the figures say", group.profile));
  group.profile.clear();
}

/// A budget is compared with what was drawn; nothing is capped to it.
void warn_of_small_budget(const HallSpec& hall, int owner, const std::string& path, Findings& findings) {
  const RackGroupSpec& rack = hall.groups[static_cast<std::size_t>(owner)];
  if (!rack.rack_power_budget_w) return;
  double most_w = rack.rack_base_power_w.value_or(0);
  for (int i = 0; i < static_cast<int>(hall.groups.size()); ++i) {
    const RackGroupSpec& group = hall.groups[static_cast<std::size_t>(i)];
    if (hall.rack_owner(i) != owner) continue;
    if (!group.device.limit_power_w) return;
    most_w += group.devices_per_rack() * *group.device.limit_power_w + group.nodes_per_rack * group.node_base_power_w.value_or(0);
  }
  if (most_w <= *rack.rack_power_budget_w) return;
  findings.warning(path + ".power_budget",
                   fmt::format("the rack may draw {}, above its budget of {}, and nothing holds it to that", format_quantity(most_w, "W", 4),
                               format_quantity(*rack.rack_power_budget_w, "W", 4)),
                   "lower node.device.power.limit to stay below it");
}

/// What of a rack is another group's where a group stands in its racks.
void warn_of_guest_figures(const v1::Rack& rack, const std::string& owner, const std::string& path, Findings& findings) {
  for (const auto& [given, field] : {std::pair(rack.has_base_power(), "base_power"), std::pair(rack.has_power_budget(), "power_budget"), std::pair(rack.has_height(), "height")}) {
    if (given) findings.warning(fmt::format("{}.{}", path, field), fmt::format("no effect: {}.{}, because these nodes stand in the racks '{}'", path, field, owner), "give it there");
  }
}

/// Power of a measured device follows the loads of its profile.
void warn_of_fractions_beside_profile(const RackGroupSpec& group, const v1::DevicePower& power, const std::string& path, Findings& findings) {
  if (group.profile.empty()) return;
  for (const auto& [given, field] : {std::pair(power.has_active(), "active"), std::pair(power.has_memory(), "memory"), std::pair(power.has_compute(), "compute")}) {
    if (!given) continue;
    const std::string at = fmt::format("{}.node.device.power.{}", path, field);
    findings.warning(at, fmt::format("no effect: {}, because power follows the measured profile '{}'", at, group.profile), "'profile: none' leaves it out");
  }
}

}  // namespace

void apply_stated_figures(const v1::Facility& written, const Catalog& catalog, HallSpec& hall, Findings& findings) {
  for (std::size_t i = 0; i < hall.groups.size(); ++i) {
    RackGroupSpec& group = hall.groups[i];
    const std::string path = fmt::format("facility.racks[{}].rack", i);
    const v1::Rack& rack = written.racks(static_cast<int>(i)).rack();
    const v1::Device& device = rack.node().device();
    group.device_figures_are_assumed = gives_figures(device);
    if (group.device_figures_are_assumed && !device.has_profile()) leave_profile_out_if_changed(catalog, path, group, findings);
    warn_of_fractions_beside_profile(group, device.power(), path, findings);
    if (group.stands_in) {
      warn_of_guest_figures(rack, hall.groups[static_cast<std::size_t>(*group.stands_in)].name, path, findings);
    } else if (rack.has_power_budget()) {
      warn_of_small_budget(hall, static_cast<int>(i), path, findings);
    }
  }
}

}  // namespace rackwright::scenarios
