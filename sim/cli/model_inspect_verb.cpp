#include "sim/cli/model_inspect_verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/names.h"
#include "models/base/quantity.h"
#include "models/llm/hf_config.h"
#include "models/llm/operator_graph.h"
#include "models/llm/sharding.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/model.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/model_reader.h"
#include "sim/cli/console.h"

namespace rackwright::cli {
namespace {

std::optional<llm::ModelShape> preset_shape(const std::string& name, Diagnostics& diagnostics) {
  const scenarios::Catalog catalog;
  const auto* entry = dynamic_cast<const v1::Model*>(catalog.find("model", name));
  if (!entry) {
    diagnostics.error({name, 0, 0}, "", "there is neither such a file nor such a preset", name_hint(name, catalog.names("model")));
    return std::nullopt;
  }
  v1::Model model = *entry;
  model.set_preset(name);
  const scenarios::SourceMap places(name);
  scenarios::Findings findings(places, diagnostics);
  return scenarios::model_shape(model, "", findings);
}

/// Operators of one decode token of one layer stack, in the order they run.
std::vector<llm::Operator> operators_of_a_token(const llm::ModelShape& shape) {
  Diagnostics ignored;
  return llm::token_operators(llm::shard(shape, {}, {}, "", ignored), 1);
}

nlohmann::ordered_json as_json(const llm::ModelShape& shape) {
  const llm::ParameterCounts counts = llm::parameters(shape);
  auto operators = nlohmann::ordered_json::array();
  for (const llm::Operator& op : operators_of_a_token(shape)) {
    operators.push_back({{"operator", llm::to_string(op.kind)}, {"count", op.count}, {"flops", op.flops}, {"bytes", op.bytes}});
  }
  return {{"name", shape.name},
          {"source", shape.source},
          {"layers", llm::layer_count(shape)},
          {"parameters", counts.total()},
          {"active_parameters", llm::active_parameters(shape)},
          {"weight_bytes", llm::weight_bytes(counts, shape.weights)},
          {"kv_bytes_per_token", llm::kv_bytes_per_token(shape)},
          {"max_context_tokens", shape.max_context_tokens},
          {"operators_per_token", operators}};
}

std::string as_text(const llm::ModelShape& shape, report::TextStyle style) {
  const llm::ParameterCounts counts = llm::parameters(shape);
  const auto billions = [](std::int64_t n) { return fmt::format("{:.3f} billion", static_cast<double>(n) * 1e-9); };
  std::string text = fmt::format("Model             {}\n", shape.name);
  if (!shape.source.empty()) text += fmt::format("Source            {}\n", shape.source);
  text += fmt::format("Layers            {}, {} wide, vocabulary of {}\n", llm::layer_count(shape), shape.hidden, shape.vocabulary);
  text += fmt::format("Parameters        {}\n", billions(counts.total()));
  text += fmt::format("Active            {} per token\n", billions(llm::active_parameters(shape)));
  text += fmt::format("Weights           {}\n", format_quantity(llm::weight_bytes(counts, shape.weights), "B", 4));
  text += fmt::format("KV cache          {:.0f} B per token\n", llm::kv_bytes_per_token(shape));
  if (shape.max_context_tokens > 0) text += fmt::format("Longest context   {} tokens\n", shape.max_context_tokens);
  report::TextTable table({"Operators of a token", "calls", "flops a call", "bytes a call"});
  for (const llm::Operator& op : operators_of_a_token(shape)) {
    table.add({std::string(llm::to_string(op.kind)), std::to_string(op.count), fmt::format("{:.4g}", op.flops),
               format_quantity(op.bytes, "B", 4)});
  }
  return text + '\n' + table.text(style);
}

}  // namespace

void ModelInspectVerb::declare(CLI::App& app) {
  app.add_option("MODEL", model_, "a Hugging Face config.json, a folder that holds one, or a preset")->required();
}

ExitCode ModelInspectVerb::run(Console& console) {
  Diagnostics diagnostics;
  const std::optional<llm::ModelShape> shape =
      std::filesystem::exists(model_) ? llm::import_hf_config(model_, diagnostics) : preset_shape(model_, diagnostics);
  console.show(diagnostics);
  if (!shape || diagnostics.has_errors()) return ExitCode::bad_input;
  if (console.format() == Format::json) console.out() << as_json(*shape).dump(2) << '\n';
  else console.out() << as_text(*shape, console.out_style());
  return ExitCode::ok;
}

}  // namespace rackwright::cli
