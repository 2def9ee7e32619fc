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
  int norms = 2;
  bool tied_by_default = false;
};

/// The family that `model_type` and `architectures` name; null after an error, which is also what a
/// contradiction between the two is. `root` and `text` may be the same reader.
const Family* family_of(ConfigReader& root, ConfigReader& text);

/// Fills `layers` and `repeats`.
void read_layers(const Family& family, ConfigReader& text, ModelShape& model);

}  // namespace rackwright::llm
