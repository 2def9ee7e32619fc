#pragma once

#include "models/llm/config_reader.h"
#include "models/llm/model_shape.h"

namespace rackwright::llm {

/// Sets the formats that a `quantization_config` object of a Hugging Face configuration describes.
/// `model` already has its layers and its unquantized formats.
void read_quantization_config(ConfigReader& quantization, ModelShape& model);

/// The same from the `quantization` object of a ModelOpt `hf_quant_config.json`.
void read_modelopt_config(ConfigReader& quantization, ModelShape& model);

}  // namespace rackwright::llm
