#include "models/llm/hf_config.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/invariant.h"
#include "models/llm/config_reader.h"
#include "models/llm/hf_layers.h"
#include "models/llm/hf_quantization.h"
#include "models/llm/shape_check.h"

namespace rackwright::llm {
namespace {

/// Keys of Hugging Face configurations that cost does not depend on: token ids, training, rotary angles,
/// router arithmetic, and the code that loads the model.
constexpr auto without_effect = {
    "_name_or_path", "architectures", "attention_dropout", "auto_map", "aux_loss_alpha", "bos_token_id", "dtype",
    "eos_token_id", "ep_size", "experts_per_token", "final_logit_softcapping", "hidden_act", "hidden_activation",
    "initial_context_length", "initializer_range", "max_window_layers", "model_type", "n_group", "norm_topk_prob",
    "output_router_logits", "pad_token_id", "pretraining_tp", "qkv_bias", "rms_norm_eps", "rope_parameters",
    "rope_scaling", "rope_theta", "routed_scaling_factor", "router_aux_loss_coef", "scoring_func", "seq_aux",
    "swiglu_limit", "tie_word_embeddings", "topk_group", "topk_method", "torch_dtype", "transformers_version",
    "use_bidirectional_attention", "use_cache", "use_qk_norm", "use_sliding_window", "vocab_size_per_layer_input", "rope_interleave",
    "num_key_value_heads", "head_dim", "sliding_window", "moe_layer_freq", "mlp_bias", "attention_bias",
    "for_llm_compressor", "router_jitter_noise", "attn_temperature_tuning", "attn_scale", "floor_scale",
    "mm_tokens_per_image", "rope_local_base_freq", "partial_rotary_factor", "original_max_position_embeddings", "resid_pdrop", "embd_pdrop",
    "rope_type", "mrope_section", "cache_implementation", "attn_logit_softcapping", "query_pre_attn_scalar"};

struct Dtype {
  std::string_view name;
  WeightFormat weights;
  hardware::NumberFormat arithmetic;
};

constexpr std::array dtypes{Dtype{"bfloat16", WeightFormat::bf16, hardware::NumberFormat::bf16},
                            Dtype{"float16", WeightFormat::fp16, hardware::NumberFormat::fp16},
                            Dtype{"float32", WeightFormat::fp32, hardware::NumberFormat::fp32}};

/// The data type of the configuration, written `torch_dtype` or `dtype`, outside or inside the text part.
void read_dtype(ConfigReader& root, ConfigReader& text, ModelShape& model) {
  std::optional<std::string> name;
  for (ConfigReader* reader : {&text, &root})
    for (const std::string_view key : {"torch_dtype", "dtype"})
      if (!name) name = reader->string(key);
  if (!name) {
    text.warning("torch_dtype", "no data type is given; bf16 is assumed for what is not quantized");
    name = "bfloat16";
  }
  if (name->starts_with("torch.")) name->erase(0, 6);
  for (const Dtype& dtype : dtypes) {
    if (dtype.name != *name) continue;
    const WeightFormat w = dtype.weights;
    model.weights = {w, w, w, w, w, w};
    model.kv = model.activations = dtype.arithmetic;
    return;
  }
  text.error("torch_dtype", fmt::format("data type '{}' is not known", *name), "known: bfloat16, float16, float32");
}

void report_unread(const ConfigReader& text, ConfigReader& reporter) {
  std::vector<std::string> unknown;
  for (const std::string& key : text.unread())
    if (std::ranges::find(without_effect, key) == std::end(without_effect)) unknown.push_back(key);
  if (unknown.empty()) return;
  reporter.warning(unknown.front(), fmt::format("not understood and left out of the shape: {}", fmt::join(unknown, ", ")));
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw EnvironmentError(fmt::format("cannot read a file: {}: {}", path.string(), std::strerror(errno)));
  return text;
}

std::optional<nlohmann::json> parse_object(const NamedText& input, Diagnostics& diagnostics) {
  std::vector<std::set<std::string>> keys;  // Of the objects around the place that is read.
  const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
      const std::string quoted = fmt::format("\"{}\"", parsed.get<std::string>());
      diagnostics.error(location_at(input.text, input.text.rfind(quoted), input.name), parsed.get<std::string>(), "the key is given twice in one object");
    }
    return true;
  };
  try {
    nlohmann::json object = nlohmann::json::parse(input.text, watch);
    if (object.is_object()) return object;
    diagnostics.error({input.name, 1, 1}, "", "a JSON object is expected");
  } catch (const nlohmann::json::exception& failure) {
    // Parse errors carry the byte; the text after the last colon says what is wrong.
    const auto* at = dynamic_cast<const nlohmann::json::parse_error*>(&failure);
    diagnostics.error(location_at(input.text, at != nullptr && at->byte > 0 ? at->byte - 1 : 0, input.name), "",
                      "this is not valid JSON");
  }
  return std::nullopt;
}

/// "Qwen--Qwen3-32B_config.json" names "Qwen--Qwen3-32B"; a bare "config.json" takes its folder's name.
std::string model_name(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (const std::string_view suffix : {"config.json", ".json"})
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  while (!name.empty() && (name.back() == '_' || name.back() == '.')) name.pop_back();
  return name.empty() ? path.parent_path().filename().string() : name;
}

}  // namespace

std::optional<ModelShape> parse_hf_config(const NamedText& config, const NamedText* quantization,
                                          Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  const auto root_object = parse_object(config, diagnostics);
  if (!root_object) return std::nullopt;
  ConfigReader root(*root_object, config.text, 0, config.name, "", diagnostics);
  std::optional<ConfigReader> nested = root.object("text_config");
  ConfigReader& text = nested ? *nested : root;

  ModelShape model;
  model.name = model_name(config.name);
  model.source = std::filesystem::path(config.name).filename().string();
  const Family* family = family_of(root, text);
  if (family == nullptr) return std::nullopt;
  read_dtype(root, text, model);
  model.hidden = static_cast<int>(text.required({"hidden_size"}));
  model.vocabulary = family->defaults.vocabulary > 0 ? static_cast<int>(text.integer({"vocab_size"}, 1).value_or(family->defaults.vocabulary))
                                                     : static_cast<int>(text.required({"vocab_size"}));
  model.max_context_tokens = text.integer({"max_position_embeddings"}).value_or(0);
  model.mtp_layers = static_cast<int>(text.integer({"num_nextn_predict_layers"}).value_or(0));
  std::optional<bool> tied = text.boolean("tie_word_embeddings");
  if (!tied && nested) tied = root.boolean("tie_word_embeddings");
  model.tied_embeddings = tied.value_or(family->tied_by_default);
  read_layers(*family, text, model);
  for (const std::string_view tower : {"vision_config", "audio_config"})
    if (root.has(tower)) diagnostics.note({config.name, 0, 0}, std::string(tower), "only the text part is imported");

  // What follows asks about the layers of a whole shape.
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  if (!check_model_shape(model, {config.name, 0, 0}, "", diagnostics)) return std::nullopt;
  if (auto own = text.object("quantization_config")) read_quantization_config(*own, model);
  else if (auto outer = root.object("quantization_config")) read_quantization_config(*outer, model);
  text.ignore({"quantization_config"});
  if (quantization != nullptr) {
    const auto object = parse_object(*quantization, diagnostics);
    if (object) {
      ConfigReader file(*object, quantization->text, 0, quantization->name, "", diagnostics);
      if (auto inner = file.object("quantization")) read_modelopt_config(*inner, model);
      else file.error("quantization", "'quantization' is missing");
    }
  }
  report_unread(text, text);
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  return model;
}

std::optional<ModelShape> import_hf_config(const std::filesystem::path& path, Diagnostics& diagnostics) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  const NamedText config{file.string(), read_file(file)};
  std::string beside = file.filename().string();
  if (!beside.ends_with("config.json")) return parse_hf_config(config, nullptr, diagnostics);
  beside.insert(beside.size() - std::string_view("config.json").size(), "hf_quant_");
  const std::filesystem::path quantization_file = file.parent_path() / beside;
  if (!std::filesystem::exists(quantization_file)) return parse_hf_config(config, nullptr, diagnostics);
  const NamedText quantization{quantization_file.string(), read_file(quantization_file)};
  return parse_hf_config(config, &quantization, diagnostics);
}

}  // namespace rackwright::llm
