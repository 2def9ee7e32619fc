#pragma once

#include <string_view>

#include "models/llm/config_reader.h"
#include "models/llm/model_shape.h"

namespace rackwright::llm {

/// How one family of Hugging Face models writes its layers.
struct Family {
  std::string_view model_type;
  std::string_view architecture;  ///< Class that loads it.
  enum class Attention { grouped, latent } attention = Attention::grouped;
  /// Which rule says what follows the attention.
  enum class FeedForward { dense, mixtral, qwen, deepseek, gpt_oss, llama4, gemma4 } feed_forward = FeedForward::dense;
  bool qkv_bias = false;  ///< Biases on Q, K and V that the configuration does not mention.
  bool qk_norm = false;
  bool qk_norm_is_stated = false;  ///< By `use_qk_norm`, which elsewhere means a norm without weights.
  int norms = 2;
  bool tied_by_default = false;
  bool slides_everywhere = false;  ///< A `sliding_window` holds in all layers.
  int full_every = 0;              ///< Without `layer_types`, every so many layers one attends to everything and the others slide; 0: none.
  /// What the class takes where a configuration leaves it out; 0: nothing.
  struct Defaults {
    int vocabulary = 0;
    int query_heads = 0;
    int kv_heads = 0;
    int head_dim = 0;
    int window = 0;
  } defaults = {};
};

/// The family that `model_type` and `architectures` name; null after an error, which is also what a
/// contradiction between the two is. `root` and `text` may be the same reader.
const Family* family_of(ConfigReader& root, ConfigReader& text);

/// Fills `layers` and `repeats`.
void read_layers(const Family& family, ConfigReader& text, ModelShape& model);

}  // namespace rackwright::llm
