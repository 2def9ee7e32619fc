#include "sim/serving/kv_tiers.h"

#include <algorithm>
#include <utility>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

SimTime transfer_time(const KvTierSpec& tier, std::int64_t tokens) { return sim_time(static_cast<double>(tokens) / tier.tokens_per_s); }

}  // namespace

KvTiers::KvTiers(std::vector<KvTierSpec> specs) : specs_(std::move(specs)), totals_(specs_.size()), load_free_(specs_.size()) {
  for (const KvTierSpec& spec : specs_) tiers_.emplace_back(spec.capacity_tokens);
}

std::optional<std::size_t> KvTiers::find(std::uint64_t hash) const {
  for (std::size_t i = 0; i < tiers_.size(); ++i)
    if (tiers_[i].has(hash)) return i;
  return std::nullopt;
}

void KvTiers::write_back(std::uint64_t hash, std::int64_t tokens) {
  evicted_.assign(1, {hash, tokens});
  pass_on(0);
}

// Takes `evicted_` into the tiers from `from` on.
void KvTiers::pass_on(std::size_t from) {
  for (std::size_t i = from; i < tiers_.size() && !evicted_.empty(); ++i) {
    const std::vector<EvictedUnit> units = std::exchange(evicted_, {});
    for (const auto& [hash, tokens] : units) {
      if (tiers_[i].has(hash)) {
        tiers_[i].touch(hash);
        continue;
      }
      tiers_[i].put(hash, tokens, evicted_);
      totals_[i].written_tokens += tokens;
    }
  }
  evicted_.clear();
}

std::optional<SimTime> KvTiers::swap_out(std::int64_t tokens, SimTime now) {
  if (!tiers_.front().reserve(tokens, evicted_)) return std::nullopt;
  pass_on(1);
  totals_.front().written_tokens += tokens;
  swap_free_ = saturating_sum(std::max(swap_free_, now), transfer_time(specs_.front(), tokens));
  return swap_free_;
}

void KvTiers::forget() {
  tiers_.clear();
  for (const KvTierSpec& spec : specs_) tiers_.emplace_back(spec.capacity_tokens);
}

SimTime KvTiers::load(const std::vector<std::int64_t>& tokens, SimTime ready) {
  SimTime end = ready;
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    if (tokens[i] == 0) continue;
    const SimTime time = saturating_sum(specs_[i].latency, transfer_time(specs_[i], tokens[i]));
    load_free_[i] = saturating_sum(std::max(load_free_[i], ready), time);
    totals_[i].loaded_tokens += tokens[i];
    totals_[i].loading = saturating_sum(totals_[i].loading, time);
    end = std::max(end, load_free_[i]);
  }
  return end;
}

}  // namespace rackwright::serving
