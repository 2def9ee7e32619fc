#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/base/diagnostic.h"
#include "models/cost/collective_cost.h"
#include "models/cost/operator_cost.h"
#include "models/cost/share_map.h"
#include "models/hardware/device_spec.h"

namespace rackwright::cost {

/// What operators reach of a device's peaks. Fractions of the peak arithmetic rate and of the peak bandwidth.
struct Efficiencies {
  double gemm_bf16 = 0.75;
  double gemm_fp8 = 0.72;  ///< Of every format of 8 bits or fewer, where the device multiplies in it.
  double grouped_gemm = 0.75;  ///< Times the above.
  double prefill_attention = 0.6;
  double decode_attention = 0.6;
  double gemm_memory = 0.8;
  double attention_memory = 0.8;
  double other_memory = 0.8;
  /// Least time of a kernel, gap to the next one included.
  double gemm_kernel_s = 3e-6;
  double attention_kernel_s = 3e-6;
  double other_kernel_s = 3e-6;
  /// Instead of the two fractions, for classes where it is not empty. By OperatorClass.
  std::array<ShareMap, 6> shares;
  double multiprocessors = 1;  ///< As share_place takes them.
  Provenance provenance = Provenance::datasheet;
};

/// Stated defaults where nothing was measured, by device class, with the achieved fractions of the catalog in their
/// place where it has them. A device's figures are its own: one that is known only for bf16 reaches with fp8 the share of it that the
/// defaults have to each other, and its attention reaches no more than its products:
///  - gemm: 0.73–0.87 of the bf16 peak and 0.71–0.78 of the fp8 peak over A100 to GB200 (MAMF finder, ml-engineering);
///  - grouped_gemm: ours, for tiles that experts with few rows leave partly empty;
///  - prefill_attention: FlashAttention-3 reaches 0.55–0.75 of an H100's bf16 peak on causal prompts (arXiv:2407.08608);
///  - memory: 0.8, and 3 us per operator: the constants of AIConfigurator; FastAFD saw 0.80–0.91 in decode attention.
Efficiencies default_efficiencies(const hardware::DeviceSpec& device);

/// Of 8-bit products against 16-bit ones: the ratio of the two defaults.
inline const double fp8_to_bf16 = Efficiencies{}.gemm_fp8 / Efficiencies{}.gemm_bf16;

/// t = max(flops / (e_c · F), bytes / (e_m · W)) + kernels · t_kernel, all of it bound by whichever side is greater.
/// Formats that the device does not multiply run in bf16, at its rate and efficiency, with 16-bit activations and the weights' own
/// bytes; unpacking them costs nothing. Not modelled: tiles and waves
/// (a product of 257 rows costs as much per row as one of 256), caches (weights of a small model in L2).
class RooflineOperatorCost final : public OperatorCostModel {
 public:
  /// Rates that must be known: peak bf16 arithmetic and memory bandwidth. See missing_for_roofline.
  RooflineOperatorCost(const hardware::DeviceSpec& device, const Efficiencies& efficiencies,
                       const std::optional<ScaleUpSpec>& scale_up);

  OperatorCost cost(const llm::Operator& op) const override;
  std::vector<double> decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const override;

 private:
  double compute_seconds(const llm::Operator& op) const;
  double bytes(const llm::Operator& op) const;  ///< Moved where the device multiplies in another format than the operator's.
  double memory_seconds(const llm::Operator& op) const;
  double kernel_seconds(const llm::Operator& op) const;
  double peak_rate(hardware::NumberFormat format) const;
  hardware::NumberFormat multiplied(hardware::NumberFormat format) const { return multiplied_[static_cast<std::size_t>(format)]; }

  Efficiencies efficiencies_;
  std::array<double, 8> peak_flop_per_s_{};  ///< By NumberFormat; every entry is above 0.
  std::array<hardware::NumberFormat, 8> multiplied_{};  ///< What the device multiplies each in.
  double memory_bytes_per_s_ = 0;
  std::optional<ScaleUpSpec> scale_up_;
};

/// Names every field of the device that a roofline needs and that is absent, as errors. True when there is none.
bool check_roofline_inputs(const hardware::DeviceSpec& device, const Location& where, const std::string& path,
                           Diagnostics& diagnostics);

}  // namespace rackwright::cost
