#include "sim/serving/kv_tiers.h"

#include <algorithm>
#include <utility>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

SimTime transfer_time(const KvTierSpec& tier, std::int64_t tokens) { return sim_time(static_cast<double>(tokens) / tier.tokens_per_s); }

}  // namespace

KvTiers::KvTiers(std::vector<KvTierSpec> specs, const SharedStores& shared) : specs_(std::move(specs)), stores_(specs_.size()), totals_(specs_.size()) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const bool is_shared = specs_[i].scope == TierScope::pool && i < shared.size();
    stores_[i] = is_shared ? shared[i] : std::make_shared<TierStore>(specs_[i].capacity_tokens);
    is_shared_ = is_shared_ || is_shared;
  }
}

std::optional<std::size_t> KvTiers::find(std::uint64_t hash) const {
  for (std::size_t i = 0; i < stores_.size(); ++i)
    if (stores_[i]->units.has(hash)) return i;
  return std::nullopt;
}

void KvTiers::write_back(std::uint64_t hash, std::int64_t tokens) {
  evicted_.assign(1, {hash, tokens});
  pass_on(0);
}

// Takes `evicted_` into the tiers from `from` on.
void KvTiers::pass_on(std::size_t from) {
  for (std::size_t i = from; i < stores_.size() && !evicted_.empty(); ++i) {
    KvTier& tier = stores_[i]->units;
    const std::vector<EvictedUnit> units = std::exchange(evicted_, {});
    for (const auto& [hash, tokens] : units) {
      if (tier.has(hash)) {
        tier.touch(hash);
        continue;
      }
      tier.put(hash, tokens, evicted_);
      totals_[i].written_tokens += tokens;
    }
  }
  evicted_.clear();
}

std::optional<SimTime> KvTiers::swap_out(std::int64_t tokens, SimTime now) {
  TierStore& first = *stores_.front();
  if (!first.units.reserve(tokens, evicted_)) return std::nullopt;
  pass_on(1);
  totals_.front().written_tokens += tokens;
  first.swap_free = saturating_sum(std::max(first.swap_free, now), transfer_time(specs_.front(), tokens));
  return first.swap_free;
}

void KvTiers::forget() {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].scope == TierScope::instance) stores_[i]->units = KvTier(specs_[i].capacity_tokens);
}

SimTime KvTiers::load(const std::vector<std::int64_t>& tokens, SimTime ready) {
  SimTime end = ready;
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (tokens[i] == 0) continue;
    const SimTime time = saturating_sum(specs_[i].latency, transfer_time(specs_[i], tokens[i]));
    SimTime& free = stores_[i]->load_free;
    free = saturating_sum(std::max(free, ready), time);
    totals_[i].loaded_tokens += tokens[i];
    totals_[i].loading = saturating_sum(totals_[i].loading, time);
    end = std::max(end, free);
  }
  return end;
}

}  // namespace rackwright::serving
