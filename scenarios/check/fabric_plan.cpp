#include "scenarios/check/fabric_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/scale_up_plan.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/input_files.h"
#include "topologies/importers/importer.h"

namespace rackwright::scenarios {
namespace {

using topologies::DeviceSet;
using topologies::DeviceTransfer;
using topologies::Reach;

/// Technologies as the models name them: "NVLink5" is "nvlink5".
std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::vector<topologies::MechanismTable> mechanism_tables(const ScenarioSpec& scenario, const Catalog& catalog) {
  std::vector<topologies::MechanismTable> tables;
  for (const RackGroupSpec& racks : scenario.hall.groups) {
    topologies::MechanismTable& table = tables.emplace_back();
    const auto profile = racks.profile.empty() || !racks.profile_folder.empty() ? nullptr : catalog.profile(racks.profile);
    for (std::size_t m = 0; m < table.size(); ++m) {
      table[m] = cost::published_transfer(static_cast<cost::TransferMechanism>(m), lower(racks.device.scale_up_link));
      if (profile && racks.device.scale_up_bytes_per_s) {
        cost::TransferCurves curves = cost::choose_curves(profile->transfers, *racks.device.scale_up_bytes_per_s);
        if (curves[m]) table[m] = *curves[m];
      }
      const MechanismOverride& figures = scenario.fabric.mechanisms[m];
      if (figures.start_s || figures.link_fraction) table[m].curve.clear();
      if (figures.start_s) table[m].start_s = *figures.start_s;
      if (figures.link_fraction) table[m].link_fraction = *figures.link_fraction;
      if (figures.node_bytes_per_s) table[m].node_bytes_per_s = *figures.node_bytes_per_s;
      if (figures.sms) table[m].sms = *figures.sms;
      if (figures.start_s || figures.link_fraction || figures.node_bytes_per_s || figures.sms) table[m].provenance = cost::Provenance::assumed;
    }
  }
  return tables;
}

std::shared_ptr<const topologies::Hall> build(const ScenarioSpec& scenario, const std::string& scenario_file, Findings& findings) {
  topologies::HallParameters parameters = scenario.fabric.hall;
  if (!scenario.fabric.file.empty()) {
    const auto found = find_input(scenario.fabric.file, scenario_file);
    if (!found) {
      findings.error("fabric.scale_out.file", fmt::format("no file '{}' beside the scenario or under RACKWRIGHT_DATA", scenario.fabric.file));
      return nullptr;
    }
    auto imported = topologies::import_topology_file(found->string(), {}, findings.diagnostics());
    if (!imported) return nullptr;
    parameters.imported = std::move(*imported);
  }
  Diagnostics built;
  auto hall = topologies::build_hall(parameters, "fabric", built);
  for (const Diagnostic& finding : built.all()) {
    // Parameters that were derived have no place in the file: their findings stand at the network.
    const bool in_file = findings.place(finding.path).line > 0;
    findings.error(in_file ? finding.path : "fabric.scale_out", in_file ? finding.message : fmt::format("{}: {}", finding.path, finding.message), finding.hint);
  }
  if (!hall) return nullptr;
  return std::make_shared<const topologies::Hall>(std::move(*hall));
}

/// The first pair of instances between which there is no way, or nothing.
std::optional<std::string> missing_way(const PoolSpec& from, const PoolSpec& to, const topologies::DevicePaths& paths) {
  // Instances of a pool lie alike in equal nodes: the first and the last of each stand for all.
  for (const int a : {0, from.instances - 1}) {
    for (const int b : {0, to.instances - 1}) {
      if (!paths.undisturbed_seconds({device_set(from, a), device_set(to, b), 1}))
        return fmt::format("instance {} of '{}' has no way to instance {} of '{}'", a, from.name, b, to.name);
    }
  }
  return std::nullopt;
}

ConnectionPlan plan(const PoolConnection& connection, const ScenarioSpec& scenario, const topologies::DevicePaths& paths, Findings& findings) {
  ConnectionPlan plan{connection};
  const PoolSpec& from = scenario.pools[connection.from];
  const PoolSpec& to = scenario.pools[connection.to];
  if (const auto missing = missing_way(from, to, paths)) {
    findings.error(connection.path, fmt::format("{} cannot go there: {}", connection.what, *missing),
                   fmt::format("give their nodes network cards on one scale-out network, add a fabric.join between their racks, or state a way of its own: {}.bandwidth",
                               connection.path));
    return plan;
  }
  const DeviceSet source = device_set(from, 0);
  const DeviceSet target = device_set(to, 0);
  plan.reach = paths.reach(source, target);
  plan.mechanism = connection.mechanism.value_or(paths.default_mechanism(source, target));
  if (!topologies::DevicePaths::works(plan.mechanism, plan.reach))
    findings.error(connection.path, fmt::format("'{}' does not reach from node to node", cost::to_string(plan.mechanism)), "rdma and tcp do");
  constexpr double long_bytes = 1e12;
  const DeviceTransfer nothing{source, target, 0, 0, 0, plan.mechanism};
  const DeviceTransfer much{source, target, long_bytes, 0, 0, plan.mechanism};
  plan.start_s = paths.undisturbed_seconds(nothing).value();
  plan.bytes_per_s = long_bytes / (paths.undisturbed_seconds(much).value() - plan.start_s);
  return plan;
}

/// Instances of a pool lie alike in equal nodes: the first and the last domain of each end stand for all.
void check_own_ways(const PoolSpec& pool, const RackGroupSpec& racks, const std::string& path, const topologies::DevicePaths& paths, Findings& findings) {
  if (!leaves_scale_up_domain(pool, racks)) return;
  const int domain = racks.scale_up_devices;
  for (const int instance : {0, pool.instances - 1}) {
    const DeviceSet all = device_set(pool, instance);
    const DeviceSet first{all.group, all.first, domain};
    const DeviceSet last{all.group, all.first + all.count - domain, domain};
    if (paths.undisturbed_seconds({first, last, 1})) continue;
    findings.error(path, fmt::format("instance {} lies in several scale-up domains between which there is no way", instance),
                   "give their nodes network cards on one scale-out network");
    return;
  }
}

}  // namespace

DeviceSet device_set(const PoolSpec& pool, int instance) {
  return {pool.devices.group, pool.first_device(instance), pool.devices_per_instance()};
}

std::optional<FabricPlan> plan_fabric(const ScenarioSpec& scenario, const std::vector<PoolConnection>& connections, const Catalog& catalog,
                                      const std::string& scenario_file, Findings& findings) {
  if (!scenario.fabric.is_given && connections.empty()) return std::nullopt;
  FabricPlan fabric;
  fabric.hall = build(scenario, scenario_file, findings);
  if (!fabric.hall) return std::nullopt;
  fabric.paths = std::make_shared<const topologies::DevicePaths>(*fabric.hall, mechanism_tables(scenario, catalog), scenario.fabric.grouping,
                                                                scenario.fabric.join_mechanisms);
  for (const PoolConnection& connection : connections) fabric.connections.push_back(plan(connection, scenario, *fabric.paths, findings));
  for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
    const PoolSpec& pool = scenario.pools[i];
    check_own_ways(pool, scenario.hall.groups[static_cast<std::size_t>(pool.devices.group)], fmt::format("deployment[{}]", i), *fabric.paths, findings);
  }
  return fabric;
}

}  // namespace rackwright::scenarios
