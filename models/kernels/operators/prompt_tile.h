#pragma once

namespace rackwright::kernels {

inline constexpr int prompt_tile_queries = 128;

/// Up to 128 queries from `first_query` on of a prompt whose rows begin at `first_row` and whose tokens at `first_key`.
struct PromptTile {
  int first_row = 0;
  int first_key = 0;
  int first_query = 0;
  int new_tokens = 0;
  int past_tokens = 0;
};

}  // namespace rackwright::kernels
