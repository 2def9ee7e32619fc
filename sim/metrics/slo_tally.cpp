#include "sim/metrics/slo_tally.h"

#include "models/base/invariant.h"

namespace rackwright::metrics {
namespace {

std::optional<SimTime> value_of(const results::RequestOutcome& request, results::LatencyMetric metric) {
  using results::LatencyMetric;
  switch (metric) {
    case LatencyMetric::ttft: return request.ttft();
    case LatencyMetric::tpot:
      if (request.output_tokens < 2) return std::nullopt;
      return request.tpot();
    case LatencyMetric::e2e: return request.e2e();
    case LatencyMetric::queue: return request.queue();
    case LatencyMetric::longest_gap: return request.longest_gap;
    case LatencyMetric::first_audio:
      if (!request.turn) return std::nullopt;
      return request.first_audio_time();
    case LatencyMetric::first_visible: return request.first_visible.value_or(request.first_token) - request.arrival;
  }
  return std::nullopt;
}

}  // namespace

SloTally::SloTally(const std::vector<results::RequestClass>& classes) {
  for (const results::RequestClass& request_class : classes) {
    ClassTally& tally = classes_.emplace_back();
    tally.name = request_class.name;
    for (const results::SloTarget& target : request_class.targets) tally.targets.push_back({target, {}});
    any_target_ |= !tally.targets.empty();
  }
}

void SloTally::add(const results::RequestOutcome& request) {
  if (!any_target_) return;
  ++judged_;
  invariant(request.request_class < classes_.size(), "a request has a class that the run does not know");
  if (request.outcome != results::Outcome::completed) {
    ++classes_[request.request_class].lost;
    return;
  }
  bool met = true;
  for (TargetTally& tally : classes_[request.request_class].targets) {
    const std::optional<SimTime> value = value_of(request, tally.target.metric);
    if (!value) continue;
    tally.values.add(*value);
    met &= *value <= tally.target.limit;
  }
  met_ += met ? 1 : 0;
}

std::optional<results::SloSummary> SloTally::summary(double duration_s) {
  if (!any_target_) return std::nullopt;
  results::SloSummary summary;
  if (judged_ > 0) summary.attainment = static_cast<double>(met_) / static_cast<double>(judged_);
  if (duration_s > 0) summary.goodput_requests_per_s = static_cast<double>(met_) / duration_s;
  for (ClassTally& tally : classes_) {
    for (TargetTally& target : tally.targets) {
      results::Objective objective{tally.name, target.target, std::nullopt, tally.lost == 0};
      if (target.values.count() > 0) {
        const SimTime value = target.values.quantiles(std::span(&target.target.quantile, 1)).front();
        objective.value_s = value.seconds();
        objective.met = value <= target.target.limit;
      }
      summary.objectives.push_back(objective);
    }
  }
  return summary;
}

}  // namespace rackwright::metrics
