#include "sim/report/findings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/report/agent_text.h"
#include "sim/report/numbers.h"
#include "sim/report/rate_match_text.h"

namespace rackwright::report {
namespace {

using results::DecodeBatch;

constexpr std::array bound_words{"compute", "memory", "links", "the host"};

std::size_t bound_of(const DecodeBatch& batch) {
  return static_cast<std::size_t>(std::ranges::max_element(batch.bound) - batch.bound.begin());
}

std::string sequences(double count) { return fmt::format("{} sequence{}", grouped(count, 1), count == 1 ? "" : "s"); }

/// "the host binds up to 56, memory beyond"; a bound that loses for a batch or two in between is noise.
std::string binding_ranges(const std::vector<DecodeBatch>& batches) {
  std::string text;
  for (std::size_t i = 0; i < batches.size();) {
    const std::size_t bound = bound_of(batches[i]);
    std::size_t past = i + 1;
    for (std::size_t j = past; j < batches.size() && j < past + 3; ++j)
      if (bound_of(batches[j]) == bound) past = j + 1;
    const bool is_last = past == batches.size();
    if (i == 0) {
      text = fmt::format("{} binds", bound_words[bound]);
      if (!is_last) text += fmt::format(" up to {}", grouped(batches[past - 1].sequences, 1));
    } else {
      text += fmt::format(", {} {}", bound_words[bound], is_last ? "beyond" : fmt::format("up to {}", grouped(batches[past - 1].sequences, 1)));
    }
    i = past;
  }
  return text;
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

}  // namespace

std::string decode_text(const results::PoolSummary& pool) {
  if (pool.decode_batches.empty()) return {};
  const DecodeBatch& first = pool.decode_batches.front();
  const DecodeBatch& last = pool.decode_batches.back();
  const std::string rate = fmt::format("{}: {} tokens/s with {} in a step", pool.name, rounded(first.tokens_per_s()), sequences(first.sequences));
  if (pool.decode_batches.size() == 1) return fmt::format("{}; {} binds ({})", rate, bound_words[bound_of(first)], percent(first.bound[bound_of(first)]));
  return fmt::format("{}, {} with {}; {}", rate, rounded(last.tokens_per_s()), grouped(last.sequences, 1), binding_ranges(pool.decode_batches));
}

std::vector<std::string> findings(const results::RunDescription& run, const results::RunSummary& s) {
  std::vector<std::string> all;
  for (const results::RateMatch& match : s.rate_match) all.push_back(rate_match_text(match) + ", at the mean lengths of these requests.");
  for (const results::LayerSides& sides : s.layer_sides) all.push_back(layer_sides_text(sides) + ".");
  if (s.voice) all.push_back(sentence(voice_text(*s.voice)));
  if (s.chains) all.push_back(sentence(chain_text(*s.chains)));
  for (const results::StationSummary& station : s.stations) {
    // Waiting for a tenth of the work makes others wait too.
    if (station.wait_s && station.job_s && station.wait_s->mean > 0.1 * station.job_s->mean) all.push_back(sentence(station_text(station)));
  }
  if (s.quality)
    all.push_back(fmt::format("{} of the requests are answered well enough: {} for each kW, {} for each kJ.", percent(s.quality->mean),
                              percent(s.quality->per_w * 1000), rounded(s.quality->per_j * 1000)));
  for (const results::PoolSummary& pool : s.pools) {
    const auto described = std::ranges::find(run.pools, pool.name, &results::PoolDescription::name);
    // Pools that work for another one have no tokens of their own.
    if (described == run.pools.end() || described->role == "ffn" || described->role == "draft" || described->role == "prefill") continue;
    if (std::string text = decode_text(pool); !text.empty()) all.push_back(sentence("decode of " + text));
  }
  return all;
}

}  // namespace rackwright::report
