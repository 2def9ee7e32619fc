#include "models/llm/hf_quantization.h"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>

namespace rackwright::llm {
namespace {

/// Glob match with `*` only.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t i = star; i <= text.size(); ++i)
    if (matches(rest, text.substr(i))) return true;
  return false;
}

/// The same for what llm-compressor writes: a name, or "re:" and an expression that the name begins with.
bool agrees(const std::string& pattern, const std::string& module) {
  if (!pattern.starts_with("re:")) return matches(pattern, module);
  try {
    return std::regex_search(module, std::regex(pattern.substr(3)), std::regex_constants::match_continuous);
  } catch (const std::regex_error&) {
    return false;  // check_patterns has reported it.
  }
}

/// A pattern names a module, or everything below one: "model.layers.*.self_attn" covers its q_proj.
bool covers(const std::string& pattern, const std::string& module) {
  if (agrees(pattern, module)) return true;
  for (std::size_t dot = module.find('.'); dot != std::string::npos; dot = module.find('.', dot + 1))
    if (agrees(pattern, module.substr(0, dot))) return true;
  return false;
}

/// One group of weights and the modules that hold it.
struct Group {
  WeightFormat WeightFormats::*format;
  std::string_view what;
  std::vector<std::string> modules;  ///< "{}" stands for the layer's number.
};

std::vector<Group> groups_of(const LayerShape& layer) {
  std::vector<Group> groups;
  if (layer.attention.kind == AttentionKind::latent)
    groups.push_back({&WeightFormats::attention, "attention projections",
                      {"model.layers.{}.self_attn.q_b_proj", "model.layers.{}.self_attn.kv_b_proj"}});
  else
    groups.push_back({&WeightFormats::attention, "attention projections",
                      {"model.layers.{}.self_attn.q_proj", "model.layers.{}.self_attn.k_proj",
                       "model.layers.{}.self_attn.v_proj"}});
  groups.push_back({&WeightFormats::attention_output, "attention output projection", {"model.layers.{}.self_attn.o_proj"}});
  const FeedForwardShape& f = layer.feed_forward;
  if (f.dense_width > 0)
    groups.push_back({&WeightFormats::feed_forward, "dense feed-forward", {"model.layers.{}.mlp.gate_proj", "model.layers.{}.mlp.down_proj"}});
  if (f.shared_width > 0)
    groups.push_back({&WeightFormats::feed_forward, "shared experts",
                      {"model.layers.{}.mlp.shared_experts.gate_proj", "model.layers.{}.mlp.shared_experts.down_proj"}});
  if (f.experts > 0)
    groups.push_back({&WeightFormats::experts, "experts", {"model.layers.{}.mlp.experts.0.gate_proj", "model.layers.{}.mlp.experts.0.down_proj"}});
  return groups;
}

bool any_covers(const std::vector<std::string>& patterns, const std::string& module) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return covers(pattern, module); });
}

void check_patterns(ConfigReader& reader, std::string_view key, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    try {
      if (pattern.starts_with("re:")) static_cast<void>(std::regex(pattern.substr(3)));
    } catch (const std::regex_error&) {
      reader.error(key, fmt::format("'{}' is not an expression that is understood", pattern));
    }
  }
}

/// Gives every group the quantized format but those that `kept` names. A group of which only some
/// modules are kept takes the format of the greater part, with a warning.
void quantize(ConfigReader& reader, std::string_view kept_key, const std::vector<std::string>& kept, WeightFormat format,
              ModelShape& model) {
  struct Tally { WeightFormat WeightFormats::*format; std::string_view what; int kept = 0; int all = 0; };
  check_patterns(reader, kept_key, kept);
  std::vector<Tally> tallies;
  const std::vector<int> order = layer_order(model);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Group& group : groups_of(model.layers[static_cast<std::size_t>(order[i])])) {
      auto tally = std::ranges::find(tallies, group.format, &Tally::format);
      if (tally == tallies.end()) tally = tallies.insert(tallies.end(), {group.format, group.what});
      for (const std::string& module : group.modules) {
        ++tally->all;
        if (any_covers(kept, fmt::format(fmt::runtime(module), i))) ++tally->kept;
      }
    }
  }
  for (const Tally& tally : tallies) {
    if (2 * tally.kept <= tally.all) model.weights.*tally.format = format;
    if (tally.kept > 0 && tally.kept < tally.all)
      reader.warning(kept_key, fmt::format("{} of {} modules of the {} are left unquantized; all are counted as {}", tally.kept,
                                           tally.all, tally.what, to_string(model.weights.*tally.format)));
  }
}

std::optional<WeightFormat> integer_format(ConfigReader& reader, std::int64_t bits, std::int64_t group) {
  if (bits == 8) return WeightFormat::int8;
  if (bits == 4 && group == 32) return WeightFormat::int4_group32;
  if (bits == 4 && (group == 128 || group <= 0)) return WeightFormat::int4_group128;
  reader.error("bits", fmt::format("{}-bit weights in groups of {} are not known", bits, group));
  return std::nullopt;
}

std::optional<WeightFormat> compressed_tensors_format(ConfigReader& reader) {
  auto groups = reader.object("config_groups");
  auto group = groups ? groups->object("group_0") : std::nullopt;
  auto weights = group ? group->object("weights") : std::nullopt;
  if (!weights) {
    reader.error("config_groups", "compressed-tensors without config_groups.group_0.weights is not understood");
    return std::nullopt;
  }
  if (groups->has("group_1")) reader.warning("config_groups", "several groups of formats; all weights take that of group_0");
  const std::int64_t bits = weights->required({"num_bits"});
  const std::string type = weights->string("type").value_or("int");
  const std::int64_t group_size = weights->integer({"group_size"}).value_or(0);
  if (type == "float" && bits == 8) return weights->has("block_structure") ? WeightFormat::fp8_block128 : WeightFormat::fp8;
  if (type == "float" && bits == 4 && group_size == 16) return WeightFormat::nvfp4;
  if (type == "float" && bits == 4 && group_size == 32) return WeightFormat::mxfp4;
  if (type == "int") return integer_format(*weights, bits, group_size);
  weights->error("type", fmt::format("{}-bit {} weights are not known", bits, type));
  return std::nullopt;
}

std::optional<WeightFormat> modelopt_format(ConfigReader& reader) {
  const std::string algorithm = reader.string("quant_algo").value_or("");
  if (algorithm == "FP8") return WeightFormat::fp8;
  if (algorithm == "NVFP4") return WeightFormat::nvfp4;
  if (algorithm == "W4A16_AWQ" || algorithm == "INT4_AWQ") return WeightFormat::int4_group128;
  reader.error("quant_algo", fmt::format("quantization '{}' is not known", algorithm), "known: FP8, NVFP4, W4A16_AWQ, INT4_AWQ");
  return std::nullopt;
}

std::optional<WeightFormat> fp8_format(ConfigReader& reader) {
  const std::vector<std::int64_t> block = reader.integers("weight_block_size");
  if (block.empty()) return WeightFormat::fp8;
  if (block == std::vector<std::int64_t>{128, 128}) return WeightFormat::fp8_block128;
  reader.error("weight_block_size", "only blocks of 128 x 128 are known");
  return std::nullopt;
}

}  // namespace

void read_quantization_config(ConfigReader& reader, ModelShape& model) {
  const std::string method = reader.string("quant_method").value_or("");
  std::optional<WeightFormat> format;
  std::string_view kept_key = "modules_to_not_convert";
  if (method == "fp8" || method == "fbgemm_fp8") {
    format = fp8_format(reader);
    if (reader.has("ignored_layers")) kept_key = "ignored_layers";
  } else if (method == "mxfp4") {
    format = WeightFormat::mxfp4;
  } else if (method == "awq" || method == "gptq") {
    format = integer_format(reader, reader.required({"bits"}), reader.integer({"group_size"}, -1).value_or(128));
  } else if (method == "compressed-tensors") {
    format = compressed_tensors_format(reader);
    kept_key = "ignore";
  } else if (method == "modelopt") {
    read_modelopt_config(reader, model);
    return;
  } else {
    reader.error("quant_method", fmt::format("quantization method '{}' is not known", method),
                 "known: fp8, fbgemm_fp8, mxfp4, awq, gptq, compressed-tensors, modelopt");
  }
  if (!format) return;
  // None of these methods quantizes the LM head or the embedding.
  quantize(reader, kept_key, reader.strings(kept_key), *format, model);
}

void read_modelopt_config(ConfigReader& reader, ModelShape& model) {
  const std::optional<WeightFormat> format = modelopt_format(reader);
  if (!format) return;
  const std::string_view kept_key = reader.has("ignore") ? "ignore" : "exclude_modules";
  const std::vector<std::string> kept = reader.strings(kept_key);
  quantize(reader, kept_key, kept, *format, model);
  if (!any_covers(kept, "lm_head") && !model.tied_embeddings) model.weights.lm_head = *format;

  const std::string kv = reader.string("kv_cache_quant_algo").value_or("");
  if (kv == "FP8") model.kv = hardware::NumberFormat::fp8;
  else if (kv == "NVFP4") model.kv = hardware::NumberFormat::fp4;
  else if (!kv.empty()) reader.error("kv_cache_quant_algo", fmt::format("KV cache format '{}' is not known", kv), "known: FP8, NVFP4");
}

}  // namespace rackwright::llm
