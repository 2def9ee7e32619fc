#pragma once

#include <span>
#include <string_view>

#include "models/base/diagnostic.h"
#include "topologies/builders/host_ports.h"

namespace rackwright::topologies {

enum class SpineSharing { all_rails, per_rail };

/// A leaf-spine of two or three tiers, rail-optimized when `rails` > 1: NIC n of every host of a pod (scalable unit)
/// goes to the pod's leaf of rail n mod rails. Pods of one block share spines; blocks are joined by cores.
/// With `per_rail`, spines and cores serve one rail each, and rails meet only inside hosts.
/// The defaults are the 1,024-GPU DGX SuperPOD: 32 hosts and 8 leaves a pod, 16 spines (NVIDIA reference architecture).
struct LeafSpineParameters {
  int rails = 8;
  int hosts_per_pod = 32;
  int pods_per_block = 0;    ///< 0: all pods share the spines.
  int spines_per_block = 16;
  int uplinks_per_leaf = 32;
  int cores = 0;             ///< 0: two tiers.
  int uplinks_per_spine = 0;
  SpineSharing sharing = SpineSharing::all_rails;
  int switch_ports = 64;     ///< No switch may need more; 0: not checked. Quantum-2 QM9700: 64 (NVIDIA).
  double host_bandwidth = 50e9;    ///< B/s per direction of a NIC's cable. NDR: 400 Gb/s (InfiniBand Trade Association).
  double switch_bandwidth = 50e9;  ///< B/s per direction of a cable between switches.
  double nic_latency_s = 0.6e-6;     ///< s; HDR port latency as listed by stas00/ml-engineering, network; no NDR figure.
  double switch_latency_s = 0.33e-6; ///< s; a reseller's figure for Quantum-2; NVIDIA publishes none.
  LinkKind kind = LinkKind::infiniband;
  Cable host_cable = Cable::multimode;
  Cable spine_cable = Cable::single_mode;
  Cable core_cable = Cable::single_mode;
  bool reduces = true;       ///< SHARP, Quantum and later (NVIDIA).
};

/// `hosts` and `nics_per_host` are what will hang on the fabric.
void check(const LeafSpineParameters& parameters, int hosts, int nics_per_host, std::string_view path, Diagnostics& diagnostics);

/// Adds the switches "name/leaf0" … and connects the hosts, in order, pod by pod. NICs get their rail, hosts their pod.
void add_leaf_spine(TopologyBuilder& builder, const LeafSpineParameters& parameters, std::span<const HostPorts> hosts,
                    std::string_view name);

}  // namespace rackwright::topologies
