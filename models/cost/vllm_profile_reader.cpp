#include "models/cost/vllm_profile_reader.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "models/base/invariant.h"
#include "models/cost/csv_table.h"
#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

using llm::OperatorKind;

struct LayerName {
  std::string_view name;
  OperatorKind kind;
};

/// Names of the profiler's layers. Its final norm is a norm like the others.
constexpr std::array layer_names{
    LayerName{"embedding", OperatorKind::embedding}, LayerName{"layernorm", OperatorKind::norm},
    LayerName{"qkv_proj", OperatorKind::qkv_projection}, LayerName{"qk_norm", OperatorKind::qk_norm},
    LayerName{"rotary_emb", OperatorKind::rope}, LayerName{"o_proj", OperatorKind::output_projection},
    LayerName{"gate_up_proj", OperatorKind::gate_up}, LayerName{"act_fn", OperatorKind::activation},
    LayerName{"down_proj", OperatorKind::down}, LayerName{"lm_head", OperatorKind::lm_head},
    LayerName{"sampler", OperatorKind::sampling}};

/// The operator of this kind for so many tokens or rows of the model.
std::optional<llm::Operator> operator_of(const std::vector<llm::Operator>& operators, OperatorKind kind) {
  const auto found = std::ranges::find(operators, kind, &llm::Operator::kind);
  if (found == operators.end()) return std::nullopt;
  return *found;
}

void read_layers(const std::filesystem::path& file, std::string_view amount, const std::vector<llm::Operator>& of_one,
                 OperatorProfile& profile, Diagnostics& diagnostics) {
  const CsvTable table = CsvTable::read(file, diagnostics);
  if (!table.require({"layer", amount, "time_us"}, diagnostics)) return;
  std::vector<std::string> unknown;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view name = table.text(row, "layer");
    if (name == "final_layernorm") continue;
    const auto known = std::ranges::find(layer_names, name, &LayerName::name);
    const auto op = known == layer_names.end() ? std::nullopt : operator_of(of_one, known->kind);
    if (!op) {
      if (std::ranges::find(unknown, name) == unknown.end()) unknown.emplace_back(name);
      continue;
    }
    ProfilePoint point;
    point.place = place_of(*op);
    point.place.at[point.place.key.family == ProfileFamily::memory ? 1 : 0] = table.number(row, amount, diagnostics);
    point.seconds = table.number(row, "time_us", diagnostics) * 1e-6;
    profile.points.push_back(point);
  }
  if (!unknown.empty())
    diagnostics.warning({file.string(), 0, 0}, "layer", fmt::format("not operators of this model, and left out: {}", fmt::join(unknown, ", ")));
}

void read_attention(const std::filesystem::path& file, const llm::ShardedShape& sharded, OperatorProfile& profile,
                    Diagnostics& diagnostics) {
  const CsvTable table = CsvTable::read(file, diagnostics);
  if (!table.require({"prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us"}, diagnostics)) return;
  ProfilePlace place = place_of(llm::decode_attention(sharded, sharded.layers.front(), 1, 1));
  place.key.family = ProfileFamily::mixed_attention;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ProfilePoint point;
    point.place = place;
    point.place.at = {table.number(row, "prefill_chunk", diagnostics), table.number(row, "kv_prefill", diagnostics),
                      table.number(row, "n_decode", diagnostics), table.number(row, "kv_decode", diagnostics)};
    point.seconds = table.number(row, "time_us", diagnostics) * 1e-6;
    profile.points.push_back(point);
  }
}

void read_meta(const std::filesystem::path& file, OperatorProfile& profile, Diagnostics& diagnostics) {
  YAML::Node meta;
  try {
    meta = YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    throw EnvironmentError(fmt::format("cannot read a file: {}", file.string()));
  } catch (const YAML::Exception& failure) {
    diagnostics.error({file.string(), failure.mark.line + 1, failure.mark.column + 1}, "", failure.msg);
    return;
  }
  if (!meta.IsMap()) {
    diagnostics.error({file.string(), 1, 1}, "", "a map is expected");
    return;
  }
  profile.device = meta["gpu"].as<std::string>("");
  profile.source = fmt::format("{} with vLLM {}, {}", meta["model"].as<std::string>(""), meta["vllm_version"].as<std::string>(""),
                               meta["profiled_at"].as<std::string>(""));
}

}  // namespace

OperatorProfile read_vllm_profile(const std::filesystem::path& folder, const llm::ShardedShape& sharded, Diagnostics& diagnostics) {
  OperatorProfile profile;
  read_meta(folder / "meta.yaml", profile, diagnostics);
  read_layers(folder / "dense.csv", "tokens", llm::token_operators(sharded, 1), profile, diagnostics);
  read_layers(folder / "per_sequence.csv", "sequences", llm::row_operators(sharded, 1), profile, diagnostics);
  read_attention(folder / "attention.csv", sharded, profile, diagnostics);
  for (const ProfilePoint& point : profile.points)
    if (!(point.seconds > 0)) {
      diagnostics.error({folder.string(), 0, 0}, "time_us", "a time is not above zero");
      break;
    }
  return profile;
}

}  // namespace rackwright::cost
