#pragma once

#include <array>
#include <memory>

#include "models/cost/execution_spec.h"
#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// Activations between attention and feed-forward devices: one way for every token and layer, and back.
struct LayerExchange {
  double latency_s = 0;              ///< One way.
  double send_bytes_per_token = 0;   ///< To the feed-forward side; a token goes once to each instance that has experts for it.
  double return_bytes_per_token = 0;
  double attention_bytes_per_s = 1;  ///< Of one attention instance, each way.
  double ffn_bytes_per_s = 1;        ///< Of one feed-forward instance, each way.
};

/// How attention and feed-forward instances share the layers of a model.
struct AttentionFfnSpec {
  /// apart   each side has its own devices and works while the other does
  /// serial  both are roles of the same devices, which take turns; nothing is exchanged
  enum class Roles { apart, serial };

  Roles roles = Roles::apart;
  int layers = 1;
  int attention_instances = 1;  ///< M.
  int ffn_instances = 1;        ///< N.
  int ffn_groups = 1;           ///< Copies of the feed-forward networks, each priced by `ffn`, which share the tokens.
  int micro_batches = 1;        ///< m, in ping-pong.
  double expert_imbalance = 1;  ///< Load of the busiest device over the mean.
  LayerExchange exchange;
  double host_time_per_step_s = 0;
  HostOverlap overlap = HostOverlap::serial;
};

/// Prices the steps of M attention instances and N feed-forward instances that move together, layer by layer.
///
/// Each attention instance's sequences are m micro-batches, which pass the two sides in turn. With T_a, T_e the times of one
/// layer of a micro-batch on either side, T_s and T_r its exchange, T_f = max of the four and R = T_a + T_e + T_s + T_r, a
/// step of L layers lasts
///
///   R + (m L − 1) T_f       when m T_f ≥ R: one of the four is always busy      (MegaScale-Infer 2504.02263, section 4)
///   L R + (m − 1) T_f       when it is not: micro-batches wait for their round trip
///
/// T_a is that of the instance with the most context: with σ the spread of contexts of a micro-batch of b sequences,
/// the largest of M sums is taken as the mean plus σ √b √(2 ln M). The LM head and the embedding count with the attention
/// side, spread over the layers. `attention` prices one instance's part of a step, `ffn` one group's; neither with host time.
///
/// Durations depend on the age of a batch alone, as those of ComposedStepCost: two prices along a stretch agree to the
/// picosecond. Not modelled: stragglers among micro-batches, contention of the exchange with other traffic, the power limit of the
/// feed-forward devices.
class AttentionFfnStepCost final : public StepCostModel {
 public:
  AttentionFfnStepCost(std::shared_ptr<const StepCostModel> attention, std::shared_ptr<const StepCostModel> ffn, const AttentionFfnSpec& spec);

  StepCost price(const StepShape& step, const OperatingPoint& at) const override;
  bool needs_contexts() const override { return spec_.attention_instances > 1 || attention_->needs_contexts(); }
  /// Of the attention instances.
  std::int64_t idle_power_mw() const override { return spec_.attention_instances * attention_->idle_power_mw(); }
  /// Of the attention instances; the other side runs at its full clock.
  std::optional<power::ClockControl> clock_control() const override;
  /// Of the feed-forward instances.
  std::int64_t ffn_idle_power_mw() const { return spec_.ffn_groups * ffn_->idle_power_mw(); }

  /// A step as its exchange sees it: what both sides take for all layers of a micro-batch, and the exchange for one.
  struct Exchange {
    double attention_ps = 0;
    double ffn_ps = 0;
    double send_ps = 0;
    double return_ps = 0;
  };
  Exchange exchange_of(const StepShape& step) const;
  /// Of all layers, for each token of a step.
  double send_bytes_per_token() const { return spec_.layers * spec_.exchange.send_bytes_per_token; }
  double return_bytes_per_token() const { return spec_.layers * spec_.exchange.return_bytes_per_token; }
  /// How much longer the step lasts when bytes take so many times as long on their way as they do alone, latency apart: nothing as
  /// long as the other side hides it.
  SimTime delay(const Exchange& exchange, double send_times, double return_times) const;

 private:
  /// What a micro-batch takes on both sides: attention zero + age · growth.
  struct Sides {
    double attention_zero_ps = 0;
    std::int64_t attention_growth_ps = 0;
    std::int64_t age = 0;
    double ffn_ps = 0;
    double send_ps = 0;    ///< One layer's.
    double return_ps = 0;
    std::int64_t steps = 1;
    StepCost attention;
    StepCost ffn;

    double attention_ps(std::int64_t step) const {
      return attention_zero_ps + static_cast<double>((age + step) * attention_growth_ps);
    }
  };
  /// A step as attention · x + ffn · y + constant.
  struct Form {
    double attention = 0;
    double ffn = 0;
    double constant_ps = 0;
    bool operator==(const Form&) const = default;
  };

  Sides sides(const StepShape& step, const OperatingPoint& at) const;
  void price_attention(const StepShape& step, const OperatingPoint& at, Sides& sides) const;
  void price_ffn(const StepShape& step, Sides& sides) const;
  void price_exchange(double tokens, Sides& sides) const;
  /// How long the longest stays of its kind: the longest context sum above the mean, in tokens.
  std::int64_t straggling_tokens(const StepShape& step, std::int64_t sequences) const;
  Form form(const Sides& sides, std::int64_t step) const;

  std::shared_ptr<const StepCostModel> attention_;
  std::shared_ptr<const StepCostModel> ffn_;
  AttentionFfnSpec spec_;
};

}  // namespace rackwright::cost
