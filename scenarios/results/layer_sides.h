#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace rackwright::results {

/// What one layer of a micro-batch takes on both sides of attention/feed-forward disaggregation, at full load.
struct LayerSides {
  std::string name;       ///< Of the attention pool.
  double sequences = 0;   ///< Of full load, on all attention instances together.
  double micro_batches = 1;
  double attention_s = 0;
  double feed_forward_s = 0;
  double send_s = 0;      ///< Activations to the feed-forward side,
  double return_s = 0;    ///< and back.

  /// A micro-batch's way through a layer.
  double round_s() const { return attention_s + send_s + feed_forward_s + return_s; }
  /// "attention", "feed-forward" or "exchange", whichever is always busy; "round trip" where micro-batches are too few to
  /// keep any of them so.
  std::string_view binds() const {
    const double exchange_s = std::max(send_s, return_s);
    const double slowest_s = std::max({attention_s, feed_forward_s, exchange_s});
    if (micro_batches * slowest_s < round_s()) return "round trip";
    if (slowest_s == attention_s) return "attention";
    return slowest_s == feed_forward_s ? "feed-forward" : "exchange";
  }
};

}  // namespace rackwright::results
