#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "models/llm/model_shape.h"

namespace rackwright::llm {

/// A text and the name under which diagnostics speak of it.
struct NamedText {
  std::string name;
  std::string text;
};

/// The shape that a Hugging Face `config.json` describes, its text part where it has several.
/// `quantization` is the content of a separate `hf_quant_config.json` (NVIDIA ModelOpt).
/// Every finding goes to `diagnostics`; nothing is returned when one of them is an error.
/// A configuration that contradicts itself is an error, never repaired.
std::optional<ModelShape> parse_hf_config(const NamedText& config, const NamedText* quantization,
                                          Diagnostics& diagnostics);

/// The same from a file, or from `config.json` in a folder. A quantization file is looked for beside it:
/// `X_config.json` goes with `X_hf_quant_config.json`. Throws EnvironmentError when a file cannot be read.
std::optional<ModelShape> import_hf_config(const std::filesystem::path& path, Diagnostics& diagnostics);

}  // namespace rackwright::llm
