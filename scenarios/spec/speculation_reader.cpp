#include "scenarios/spec/speculation_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/names.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

constexpr double bytes_of_id = 4;
constexpr double bytes_of_probability = 2;  ///< In 16 bits.

/// A multi-token-prediction module: one layer like the model's last, with embedding and LM head shared.
llm::ModelShape mtp_module(const llm::ModelShape& target) {
  llm::ModelShape module = target;
  module.layers = {target.layers.back()};
  module.layers.front().count = 1;
  module.repeats = 1;
  return module;
}

}  // namespace

SpeculationSpec speculation_spec(const v1::Speculation& written, const llm::ModelShape& target, std::optional<llm::ModelShape> draft,
                                 const std::string& path, Findings& findings) {
  using Field = v1::Speculation;
  SpeculationSpec spec;
  spec.tokens = static_cast<int>(effective_count(written, Field::kTokensFieldNumber));
  spec.acceptance = written.acceptance();
  if (written.has_acceptance_concentration()) spec.concentration = written.acceptance_concentration();
  spec.latency_s = effective_quantity(written, Field::kLatencyFieldNumber);
  if (written.has_bandwidth()) spec.bytes_per_s = written.bandwidth();
  const bool parallel = effective_choice<v1::DraftMode>(written, Field::kModeFieldNumber) == v1::DRAFT_MODE_PARALLEL;
  spec.mode = parallel ? SpeculationSpec::Mode::parallel : SpeculationSpec::Mode::serial;
  spec.bytes_per_token = bytes_of_id;
  if (effective_choice<v1::DraftPayload>(written, Field::kPayloadFieldNumber) == v1::DRAFT_PAYLOAD_PROBABILITIES)
    spec.bytes_per_token += bytes_of_probability * target.vocabulary;

  switch (effective_choice<v1::DraftMethod>(written, Field::kMethodFieldNumber)) {
    case v1::DRAFT_METHOD_MODEL:
      spec.draft_pool = written.draft_pool();
      if (spec.draft_pool.empty()) spec.draft = std::move(draft);
      if (spec.draft_pool.empty() && !written.has_draft())
        findings.error(path, "nothing proposes tokens", "give 'draft' a model, 'draft_pool' a pool, or 'method' another value");
      break;
    case v1::DRAFT_METHOD_MTP:
      if (target.mtp_layers == 0) findings.error(path + ".method", "the model has no multi-token-prediction module", "give 'draft' a model");
      else spec.draft = mtp_module(target);
      break;
    default: break;
  }
  return spec;
}

std::optional<std::size_t> draft_pool_of(const std::vector<PoolSpec>& pools, const PoolSpec& pool) {
  if (!pool.speculation || pool.speculation->draft_pool.empty()) return std::nullopt;
  const auto found = std::ranges::find(pools, pool.speculation->draft_pool, &PoolSpec::name);
  if (found == pools.end()) return std::nullopt;
  return static_cast<std::size_t>(found - pools.begin());
}

void check_drafts(const std::vector<PoolSpec>& pools, Findings& findings) {
  std::vector<const PoolSpec*> served(pools.size(), nullptr);
  std::vector<std::string> names;
  for (const PoolSpec& pool : pools)
    if (pool.role == PoolRole::draft) names.push_back(pool.name);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const PoolSpec& pool = pools[i];
    if (!pool.speculation || pool.speculation->draft_pool.empty()) continue;
    const std::string path = fmt::format("deployment[{}].speculation.draft_pool", i);
    const std::optional<std::size_t> draft = draft_pool_of(pools, pool);
    if (!draft || pools[*draft].role != PoolRole::draft) {
      findings.error(path, fmt::format("no pool with 'role: draft' is called '{}'", pool.speculation->draft_pool),
                     name_hint(pool.speculation->draft_pool, names));
      continue;
    }
    if (served[*draft] != nullptr)
      findings.error(path, fmt::format("'{}' drafts for '{}' already", pools[*draft].name, served[*draft]->name), "give each pool a draft pool of its own");
    served[*draft] = &pool;
    if (pools[*draft].instances != pool.instances)
      findings.error(path, fmt::format("'{}' has {} instances, but {} draft in '{}'", pool.name, pool.instances, pools[*draft].instances, pools[*draft].name),
                     "one draft instance works for one target instance");
    if (pools[*draft].scheduler.max_sequences < pool.scheduler.max_sequences)
      findings.error(path, fmt::format("'{}' runs up to {} sequences at once, its draft {}", pool.name, pool.scheduler.max_sequences,
                                       pools[*draft].scheduler.max_sequences),
                     "give the draft pool scheduler.max_sequences as high");
  }
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (pools[i].role == PoolRole::draft && served[i] == nullptr)
      findings.error(fmt::format("deployment[{}].role", i), fmt::format("no pool's speculation names '{}'", pools[i].name), "set speculation.draft_pool of the pool that it serves");
}

}  // namespace rackwright::scenarios
