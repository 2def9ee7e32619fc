#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cost/operator_profile.h"
#include "models/cost/roofline_cost.h"
#include "models/hardware/device_spec.h"
#include "models/power/device_power.h"

namespace rackwright::cost {

/// Efficiencies of the roofline fitted to measured operators of the same device: for each class the median of what its
/// clearly compute-bound points reach of the peak rate (at the clock that they ran at) and its clearly memory-bound ones of the bandwidth, after the time
/// of the shortest call. Classes without such points keep the defaults. Provenance calibrated.
Efficiencies fit_efficiencies(const OperatorProfile& profile, const hardware::DeviceSpec& device);

/// The same for devices that were not measured: of each class, by intensity and size, what points reach of max(flops / F,
/// bytes / W) at `measured`'s peaks, after the time of the shortest call (ShareMap). Classes without points keep the defaults
/// of the device that takes them, `taker`. Provenance calibrated.
Efficiencies carried_efficiencies(const OperatorProfile& profile, const hardware::DeviceSpec& measured, const hardware::DeviceSpec& taker);

/// Power by least squares over steady loads, relative to their watts: P − idle = c (active·a + compute·u_c) + memory·u_m, no
/// coefficient below 0. Whole forward passes are fitted when there are six or more: single operators of one kind draw up to a
/// third more or less than they do in company. Limit, clocks and, where the profile has none, idle come from the device.
/// Cards of one kind differ, so the law is scaled to the mean of those that were seen (OperatorProfile::card_share).
/// Nothing when there are fewer than six loads. Operators are measured with rests, below any limit: a prompt among light
/// steps draws up to 900 W for its moment on an H200. The mean is held to what loads drew that the limit slowed down, as a
/// share of the limit (0.988 on an H200, 691 of 700 W).
std::optional<power::DevicePower> fit_power(const OperatorProfile& profile, const hardware::DeviceSpec& device);

/// How far a cost model is from measured points, by operator class.
struct FitQuality {
  std::string operator_class;
  std::size_t points = 0;
  double p50 = 0;  ///< Of |predicted / measured − 1|, nearest rank.
  double p95 = 0;
  double max = 0;
};

/// Against `points`, such as a profile's off-grid ones. Mixed attention is left out.
std::vector<FitQuality> fit_quality(const OperatorCostModel& model, const std::vector<ProfilePoint>& points);

}  // namespace rackwright::cost
