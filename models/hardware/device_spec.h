#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/hardware/number_format.h"

namespace rackwright::hardware {

/// What kind of machine a device is; it selects the default efficiencies of the cost model.
/// `sram`: weights live in on-chip memory (LPU, wafer, dataflow card).
enum class DeviceClass { gpu, tpu, sram, cpu, npu };

std::string_view to_string(DeviceClass device_class);

/// Peak dense arithmetic rates. A multiply-add counts as two operations. Integer formats in OP/s.
struct PeakRates {
  std::optional<double> fp32_flop_per_s;
  std::optional<double> bf16_flop_per_s;
  std::optional<double> fp16_flop_per_s;
  std::optional<double> fp8_flop_per_s;
  std::optional<double> fp6_flop_per_s;
  std::optional<double> fp4_flop_per_s;
  std::optional<double> int8_op_per_s;
  std::optional<double> int4_op_per_s;
};

/// The rate of one format, or nothing when the catalog does not know it or the device has none.
/// fp16 without a figure of its own runs at the bf16 rate, as on every device of the catalog that has both.
std::optional<double> rate_of(const PeakRates& rates, NumberFormat format);

/// The format in which the device multiplies values of a format: the same where it has a rate for it, else bf16, or on
/// a device without bf16 the next wider one of the same kind. Weights are then
/// widened on their way to the multiplier and activations stay in 16 bits, as weight-only kernels do (Marlin, arXiv:2408.11743,
/// on devices without fp8, int8 or fp4).
NumberFormat multiplied_format(const PeakRates& rates, NumberFormat format);

/// The rate of that format.
std::optional<double> multiplying_rate(const PeakRates& rates, NumberFormat format);

/// One accelerator, or a CPU used as one, as its datasheet and its measurements describe it.
/// What the catalog does not know is absent, never guessed; a run that needs it names it.
struct DeviceSpec {
  std::string name;
  DeviceClass device_class = DeviceClass::gpu;

  PeakRates peak;
  /// Best fraction of the peak that a large matrix product has been seen to reach, sustained at the
  /// board's power limit.
  std::optional<double> achieved_bf16_fraction;
  std::optional<double> achieved_fp8_fraction;
  /// Best fraction of the memory bandwidth that a long read has been seen to reach.
  std::optional<double> achieved_memory_fraction;
  /// The same for decode attention's reads of the KV cache; absent: that of memory.
  std::optional<double> achieved_attention_fraction;

  std::optional<double> memory_bytes;          ///< Main memory that software can use.
  std::optional<double> memory_bytes_per_s;    ///< Peak bandwidth of it.
  std::optional<double> sram_bytes;            ///< On-chip memory that holds weights (class sram).
  std::optional<double> sram_bytes_per_s;
  /// What shares a layer (devices, chiplets, cores) meets in this time, whatever the message and the distance (class sram).
  std::optional<double> sync_s;
  std::optional<double> hop_s;                 ///< From one such device, or core of a wafer, to the next.
  std::optional<double> shift_s;               ///< Wafers: of one of the N steps of a product of many rows over N x N cores.
  std::optional<double> product_flop_per_s;    ///< Wafers: rate in such products; absent: the peak.
  std::optional<int> mesh_cores;               ///< Cores of a wafer's mesh; a region of them works on a layer.
  std::optional<double> l2_bytes;              ///< Last-level cache.
  std::optional<double> l2_bytes_per_s;
  std::optional<int> compute_units;            ///< SMs, compute units, tensor cores, cores.
  std::optional<double> max_clock_hz;          ///< Highest clock of the compute units.
  std::optional<double> min_clock_hz;          ///< Lowest clock to which power management goes under load.
  std::optional<double> clock_step_hz;

  std::optional<double> kernel_launch_graph_s; ///< Least time of a kernel inside a captured graph, gap included.

  std::optional<double> idle_power_w;          ///< Of the board with an allocated context and no work.
  std::optional<double> limit_power_w;         ///< Board power limit, the default one (TDP) unless a lower one is set.
  std::optional<double> rated_power_w;         ///< The default one, where a lower one is set.
  /// Power above idle, as fractions of limit - idle: of running anything, and in addition of moving memory
  /// at its full bandwidth and of multiplying at the achieved rate.
  std::optional<double> active_power_fraction;
  std::optional<double> memory_power_fraction;
  std::optional<double> compute_power_fraction;

  std::string scale_up_link;                   ///< Name of the scale-up technology: "nvlink4"; may be empty.
  std::optional<double> scale_up_bytes_per_s;  ///< Per direction, all links of the device together.
  std::optional<int> scale_up_domain;          ///< Most devices that one scale-up domain joins.
  std::optional<double> host_link_bytes_per_s; ///< Per direction, to the host.
};

}  // namespace rackwright::hardware
