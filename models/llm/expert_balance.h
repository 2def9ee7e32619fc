#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rackwright::llm {

/// Which experts lie on which device, how often each is chosen, and how tokens reach them.
struct ExpertSpread {
  /// contiguous: in order of their numbers; balanced: by load, with copies of the most chosen ones (DeepSeek's EPLB).
  enum class Placement { contiguous, balanced };
  /// direct: a copy of a token to every device with experts of it; forwarded: one to every node, passed on inside.
  enum class Dispatch { direct, forwarded };

  Placement placement = Placement::contiguous;
  int redundant = 0;     ///< Experts that each device has room for beside its own share; balanced placement only.
  Dispatch dispatch = Dispatch::direct;
  int token_nodes = 0;   ///< Nodes over which the experts of one token lie at most; 0: any.
  int node_devices = 0;  ///< Devices of one node; 0: one node holds all.
  /// Of each layer, the share of all choices that falls on each expert; empty: even. Layers of the model take part alike.
  std::vector<std::vector<double>> shares;

  bool operator==(const ExpertSpread&) const = default;
};

/// Shares in proportion to r^-exponent (Zipf), the r-th most chosen expert being any of them, by seed and layer. A token chooses
/// `chosen` different experts, so that none has more than 1/chosen of the choices; what exceeds it goes to the others.
std::vector<double> power_law_shares(int experts, double exponent, int chosen, std::uint64_t seed, int layer);

/// No share above `most`; the others grow in proportion.
std::vector<double> capped_shares(std::vector<double> shares, double most);

/// One expert on one device, and its share of the layer's choices there.
struct PlacedExpert {
  int expert = 0;
  double share = 0;
};

/// By device, the experts that lie on it. Balanced: copies that fill the room of all go one by one to the expert with the most
/// tokens a copy, which its copies share; then, from the largest share on, each goes to the device with the smallest sum that
/// has room and not that expert yet. Ties go to lower numbers.
std::vector<std::vector<PlacedExpert>> place_experts(const std::vector<double>& shares, int devices, const ExpertSpread& spread);

/// What the choice and the placement of experts make of the work and the exchange of the devices that share them. Figures of
/// a layer are of its busiest device; over layers, means. Expectations: how tokens happen to fall in one step is left out.
class ExpertBalance {
 public:
  /// `experts` of each layer, of which a token chooses `chosen`, over `devices`.
  ExpertBalance(int experts, int chosen, int devices, const ExpertSpread& spread);

  /// Tokens of the busiest device over the mean, at least 1.
  double imbalance() const { return imbalance_; }
  /// Experts that have a token, on the device with the most of them: max over devices of Σ 1 − (1 − K·share)^tokens over the experts
  /// there. Exact up to 23 tokens and on a grid of 16 sizes a doubling beyond, a straight line between (0.03 % at most).
  double activated(double tokens) const;
  /// Copies of each token that devices, and nodes, receive, as if each received as many as the busiest: with even shares
  /// G · (1 − (1 − 1/G)^K) of G devices.
  double device_copies() const { return device_copies_; }
  double node_copies() const { return node_copies_; }
  int nodes() const { return nodes_; }

 private:
  double imbalance_ = 0;
  double device_copies_ = 0;
  double node_copies_ = 0;
  int nodes_ = 1;
  std::vector<std::pair<double, double>> activated_;  ///< Tokens, experts.
};

}  // namespace rackwright::llm
