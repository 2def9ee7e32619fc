#include "traces/generators/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/base/diagnostic.h"
#include "traces/generators/arrival_process.h"
#include "traces/generators/conversations.h"
#include "traces/generators/mixed_generator.h"
#include "traces/records/string_table.h"

namespace rackwright::traces {
namespace {

class Generator final : public RequestSource {
 public:
  Generator(const GeneratorSpec& spec, std::uint64_t seed)
      : arrivals_(spec.arrivals, spec.profile, RandomStream(seed, spec.name, "arrivals")),
        input_tokens_(spec.input_tokens),
        output_tokens_(spec.output_tokens),
        input_draws_(seed, spec.name, "input"),
        output_draws_(seed, spec.name, "output"),
        reasoning_tokens_(spec.reasoning_tokens),
        reasoning_draws_(seed, spec.name, "reasoning"),
        samples_(spec.samples),
        sample_draws_(seed, spec.name, "samples"),
        model_(names_.id(spec.model)),
        request_class_(names_.id(spec.request_class)),
        end_(spec.duration.value_or(SimTime::max())),
        count_(spec.count) {
    if (spec.chain) chains_ = std::make_unique<AgentChains>(*spec.chain, names_, RandomStream(seed, spec.name, "chain"));
    if (spec.conversations) {
      conversations_ = std::make_unique<Conversations>(*spec.conversations, spec.input_tokens, RandomStream(seed, spec.name, "conversations"));
    }
  }

  bool next(Request& request) override {
    const bool follows = chains_ && chains_->has_more();
    if (!follows && !arrive()) return false;
    request.arrival = arrival_;
    request.id = given_++;
    fill(request);
    if (chains_) {
      if (follows) {
        chains_->follow(request, request.id - 1, visible_);
      } else {
        request.input_tokens = input_tokens_.tokens_at(input_draws_.uniform());
        chains_->begin(request);
      }
      visible_ = request.output_tokens - request.reasoning_tokens;
      return true;
    }
    if (conversations_) {
      conversations_->fill(request);
      return true;
    }
    request.input_tokens = input_tokens_.tokens_at(input_draws_.uniform());
    request.session = 0;
    request.block_tokens = 0;
    request.block_hashes.clear();
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return names_.name(id); }
  std::optional<std::uint64_t> size() const override { return end_ == SimTime::max() && !chains_ ? count_ : std::nullopt; }

 private:
  /// The next arrival of the process, unless the stream is over.
  bool arrive() {
    if (count_ && arrived_ == *count_) return false;
    arrival_ = arrivals_.next();
    if (arrival_ >= end_) {
      count_ = arrived_;
      return false;
    }
    ++arrived_;
    return true;
  }

  /// What does not depend on other requests.
  void fill(Request& request) {
    request.output_tokens = output_tokens_.tokens_at(output_draws_.uniform());
    request.reasoning_tokens = reasoning_tokens_.empty() ? 0 : static_cast<std::int32_t>(reasoning_tokens_.at(reasoning_draws_.uniform()) + 0.5);
    request.output_tokens += request.reasoning_tokens;
    request.other_samples.clear();
    for (std::int32_t other = 1; other < samples_; ++other)
      request.other_samples.push_back(request.reasoning_tokens + output_tokens_.tokens_at(sample_draws_.uniform()));
    request.speech = {};
    request.model = model_;
    request.request_class = request_class_;
    request.parent.reset();
    request.think_time = {};
    request.tools.clear();
    request.acceptance.reset();
    request.logged = {};
  }

  ArrivalProcess arrivals_;
  QuantileTable input_tokens_;
  QuantileTable output_tokens_;
  RandomStream input_draws_;
  RandomStream output_draws_;
  QuantileTable reasoning_tokens_;
  RandomStream reasoning_draws_;
  std::int32_t samples_;
  RandomStream sample_draws_;
  std::unique_ptr<Conversations> conversations_;
  std::unique_ptr<AgentChains> chains_;
  StringTable names_;
  std::uint32_t model_;
  std::uint32_t request_class_;
  SimTime end_;
  std::optional<std::uint64_t> count_;
  std::uint64_t arrived_ = 0;
  std::uint64_t given_ = 0;
  SimTime arrival_;
  std::int32_t visible_ = 0;  ///< Tokens of the call before.
};

/// Collects what is out of range.
class Checks {
 public:
  Checks(std::string path, Diagnostics& diagnostics) : path_(std::move(path)), diagnostics_(diagnostics) {}

  void require(bool holds, std::string_view member, std::string message) {
    if (holds) return;
    diagnostics_.error({}, path_.empty() ? std::string(member) : fmt::format("{}.{}", path_, member), std::move(message));
    good_ = false;
  }
  void positive(double value, std::string_view member) {
    require(std::isfinite(value) && value > 0, member, fmt::format("must be a positive number, not {}", value));
  }
  void within(double value, double low, double high, std::string_view member) {
    require(value >= low && value <= high, member, fmt::format("must be in [{}, {}], not {}", low, high, value));
  }
  bool good() const { return good_; }

 private:
  std::string path_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

void check_arrivals(const ArrivalSpec& arrivals, Checks& checks) {
  using Kind = ArrivalSpec::Kind;
  constexpr double least_cv = 0.05;  // Below, a process is as good as constant,
  constexpr double most_cv = 20;     // and above, gaps of years make the mean meaningless.
  checks.positive(arrivals.rate_per_s, "rate");
  checks.require(arrivals.rate_per_s <= 1e9, "rate", "must be at most 1e9 /s");
  if (arrivals.kind == Kind::gamma || arrivals.kind == Kind::weibull) checks.within(arrivals.cv, least_cv, most_cv, "cv");
  if (arrivals.kind != Kind::on_off) return;
  checks.positive(arrivals.bursts.on_s, "bursts.on");
  checks.require(arrivals.bursts.off_s >= 0, "bursts.off", "must not be negative");
  checks.within(arrivals.bursts.on_cv, 0, most_cv, "bursts.on_cv");
  checks.within(arrivals.bursts.off_cv, 0, most_cv, "bursts.off_cv");
  checks.within(arrivals.bursts.gap_cv, 0, most_cv, "bursts.gap_cv");
}

void check_conversations(const ConversationSpec& c, Checks& checks) {
  checks.require(c.block_tokens >= 1, "conversations.block_tokens", "must be at least 1");
  checks.require(c.head_blocks >= 0, "conversations.head_blocks", "must not be negative");
  checks.require(c.continue_share >= 0 && c.fork_share >= 0 && c.continue_share + c.fork_share <= 1, "conversations",
                 "shares must not be negative and add up to at most 1");
  checks.require(!c.continued_input.empty() && !c.growth.empty() && !c.distance.empty() && !c.fork_blocks.empty() &&
                     !c.fork_distance.empty() && !c.fork_input.empty(),
                 "conversations", "every quantile table is needed");
  constexpr double farthest = 1e6;  // Each request in between is kept in memory.
  for (const QuantileTable* distance : {&c.distance, &c.fork_distance}) {
    if (distance->empty()) continue;
    checks.require(distance->quantiles().front().value >= 1 && distance->quantiles().back().value <= farthest, "conversations.distance",
                   "must be in 1 to 1e6 requests");
  }
}

}  // namespace

RateProfile diurnal_profile(double depth, double peak_hour) {
  constexpr int slots = 96;
  constexpr double day_s = 86'400;
  RateProfile profile{day_s / slots, {}};
  for (int slot = 0; slot < slots; ++slot) {
    const double hour = 24 * (slot + 0.5) / slots;
    profile.factors.push_back(1 + depth * std::cos(2 * std::numbers::pi * (hour - peak_hour) / 24));
  }
  return profile;
}

bool check_generator(const GeneratorSpec& spec, const std::string& path, Diagnostics& diagnostics) {
  if (!spec.mix.empty()) {
    return std::ranges::all_of(spec.mix, [&](const GeneratorSpec& part) { return check_generator(part, path, diagnostics); });
  }
  Checks checks(path, diagnostics);
  check_arrivals(spec.arrivals, checks);
  if (!spec.profile.factors.empty()) {
    checks.positive(spec.profile.slot_s, "profile.slot");
    const bool rates = std::ranges::all_of(spec.profile.factors, [](double factor) { return std::isfinite(factor) && factor >= 0; });
    const bool some = std::ranges::any_of(spec.profile.factors, [](double factor) { return factor > 0; });
    checks.require(rates && some, "profile", "factors must not be negative, nor all 0");
  }
  checks.require(!spec.input_tokens.empty(), "input_tokens", "a length distribution is needed");
  checks.require(!spec.output_tokens.empty(), "output_tokens", "a length distribution is needed");
  if (spec.conversations) check_conversations(*spec.conversations, checks);
  checks.require(spec.duration.value_or(SimTime{1}) > SimTime{}, "duration", "must be longer than 0");
  return checks.good();
}

std::unique_ptr<RequestSource> make_generator(const GeneratorSpec& spec, std::uint64_t seed) {
  if (!spec.mix.empty()) return make_mixed_generator(spec, seed);
  return std::make_unique<Generator>(spec, seed);
}

}  // namespace rackwright::traces
