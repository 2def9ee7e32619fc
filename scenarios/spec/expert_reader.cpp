#include "scenarios/spec/expert_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "models/cost/csv_table.h"
#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/parallelism.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

using Spread = llm::ExpertSpread;
using Field = v1::Experts;

/// Layers of a power law that stand for all; their means are stable to a percent.
constexpr int drawn_layers = 16;

const llm::FeedForwardShape* experts_of(const llm::ModelShape& model) {
  const auto found = std::ranges::find_if(model.layers, [](const llm::LayerShape& layer) { return layer.feed_forward.experts > 0; });
  return found == model.layers.end() ? nullptr : &found->feed_forward;
}

v1::ExpertLoad load_of(const v1::Experts& written) { return effective_choice<v1::ExpertLoad>(written, Field::kLoadFieldNumber); }

bool is_balanced(const v1::Experts& written) {
  return effective_choice<v1::ExpertPlacement>(written, Field::kPlacementFieldNumber) == v1::EXPERT_PLACEMENT_BALANCED;
}

}  // namespace

int expert_count(const llm::ModelShape& model) {
  const llm::FeedForwardShape* experts = experts_of(model);
  return experts ? experts->experts : 0;
}

Spread expert_spread(const v1::Experts& written, const llm::ModelShape& model, const RackGroupSpec& racks) {
  Spread spread;
  const llm::FeedForwardShape* experts = experts_of(model);
  if (!experts) return spread;
  if (is_balanced(written)) {
    spread.placement = Spread::Placement::balanced;
    spread.redundant = static_cast<int>(effective_count(written, Field::kRedundantFieldNumber));
  }
  if (effective_choice<v1::ExpertDispatch>(written, Field::kDispatchFieldNumber) == v1::EXPERT_DISPATCH_FORWARDED) spread.dispatch = Spread::Dispatch::forwarded;
  if (written.has_token_nodes()) spread.token_nodes = written.token_nodes();
  spread.node_devices = racks.scale_up_devices;
  if (load_of(written) != v1::EXPERT_LOAD_POWER_LAW) return spread;
  const double exponent = effective_quantity(written, Field::kExponentFieldNumber);
  const auto seed = static_cast<std::uint64_t>(effective_count(written, Field::kSeedFieldNumber));
  for (int layer = 0; layer < (is_balanced(written) ? 1 : drawn_layers); ++layer)
    spread.shares.push_back(llm::power_law_shares(experts->experts, exponent, experts->experts_per_token, seed, layer));
  return spread;
}

void warn_of_idle_experts(const v1::Pool& written, const llm::ModelShape& model, const llm::Parallelism& degrees, const std::string& path,
                          Findings& findings) {
  if (!written.has_experts()) return;
  const v1::Experts& experts = written.experts();
  const auto idle = [&](bool is_given, const std::string& field, const std::string& reason) {
    if (is_given) findings.warning(path + field, fmt::format("no effect: {}{}, because {}", path, field, reason));
  };
  if (!experts_of(model) || written.has_step_times()) {
    idle(true, "", written.has_step_times() ? "steps last as step_times states" : fmt::format("{} has no experts", model.name));
    return;
  }
  const char* const split = "each expert is split over all devices";
  const bool is_split = degrees.expert == 1;
  idle(experts.has_placement() && is_split, ".placement", split);
  idle(experts.has_redundant() && is_split, ".redundant", split);
  const bool has_copies = experts.redundant() > 0 || expert_count(model) % degrees.expert != 0;
  idle(experts.has_placement() && !is_split && is_balanced(experts) && load_of(experts) == v1::EXPERT_LOAD_EVEN && !has_copies, ".placement",
       "every expert is chosen as often");
  idle(experts.has_seed() && load_of(experts) == v1::EXPERT_LOAD_POWER_LAW && (is_split || is_balanced(experts)), ".seed",
       is_split ? split : "experts are placed by their load, whichever they are");
  const int node = degrees.experts.node_devices;
  const bool leaves_node = degrees.data > 1 && degrees.expert > node;
  const char* const inside = degrees.data > 1 ? "one scale-up domain holds all experts" : "experts are not exchanged by all-to-all";
  idle(experts.has_token_nodes() && !leaves_node, ".token_nodes", inside);
  idle(experts.has_dispatch() && !leaves_node, ".dispatch", inside);
  idle(leaves_node && experts.token_nodes() * node >= degrees.expert, ".token_nodes", "there are no more nodes");
}

std::vector<std::vector<double>> read_expert_table(const std::string& file, std::string content, int experts, const std::string& path,
                                                   Findings& findings) {
  Diagnostics& diagnostics = findings.diagnostics();
  const int errors_before = diagnostics.error_count();
  const cost::CsvTable table(file, std::move(content), diagnostics);
  std::map<std::int64_t, std::vector<double>> layers;
  if (!table.require({"layer", "expert", "tokens"}, diagnostics)) return {};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double layer = table.number(row, "layer", diagnostics);
    const double expert = table.number(row, "expert", diagnostics);
    const double tokens = table.number(row, "tokens", diagnostics);
    if (layer != std::floor(layer) || std::abs(layer) > 1e6) {
      diagnostics.error(table.where(row), "layer", fmt::format("layers are counted, but this is {}", layer));
    } else if (expert != std::floor(expert) || expert < 0 || expert >= experts) {
      diagnostics.error(table.where(row), "expert", fmt::format("the model has experts 0 to {}, but this is {}", experts - 1, expert));
    } else if (tokens < 0) {
      diagnostics.error(table.where(row), "tokens", "a number of tokens is not negative");
    } else {
      std::vector<double>& counts = layers.try_emplace(static_cast<std::int64_t>(layer), experts, 0.0).first->second;
      counts[static_cast<std::size_t>(expert)] += tokens;
    }
  }
  if (diagnostics.error_count() > errors_before) return {};
  std::vector<std::vector<double>> shares;
  for (auto& [layer, counts] : layers) {
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (sum <= 0) {
      findings.error(path, fmt::format("no token chose an expert of layer {}", layer), "leave the layer out");
      continue;
    }
    for (double& count : counts) count /= sum;
    shares.push_back(std::move(counts));
  }
  if (layers.empty()) findings.error(path, fmt::format("'{}' counts no tokens", file), "give lines with layer, expert and tokens");
  return shares;
}

}  // namespace rackwright::scenarios
