#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cost/operator_cost.h"
#include "models/llm/sharding.h"

namespace rackwright::cost {

/// Cost of decode attention in those layers of a model that attend to the same tokens, as straight pieces over the mean
/// number of attended tokens, for every number of sequences up to a most.
class DecodeTable {
 public:
  struct Knot {
    double tokens = 0;  ///< Mean attended tokens of a sequence.
    Work work;          ///< Of all these layers, for all sequences.
  };
  /// The piece that holds some mean: a straight line through both knots. The last piece has no end.
  struct Piece {
    const Knot* left = nullptr;
    const Knot* right = nullptr;
    bool last = false;
  };

  /// `layers`: those that attend alike, all of the same kind and window.
  DecodeTable(const llm::ShardedShape& sharded, std::span<const llm::LayerShape> layers, const OperatorCostModel& model,
              int max_sequences);

  Piece piece(int sequences, double mean_tokens) const;

  /// How these layers attend.
  const llm::AttentionShape& attention() const { return attention_; }

 private:
  llm::AttentionShape attention_;
  std::vector<std::size_t> first_;  ///< By sequences: the first knot. One more entry ends the last.
  std::vector<Knot> knots_;
};

/// Groups the layers of a model that attend to the same tokens, and builds a table for each.
std::vector<DecodeTable> decode_tables(const llm::ShardedShape& sharded, const OperatorCostModel& model, int max_sequences);

}  // namespace rackwright::cost
