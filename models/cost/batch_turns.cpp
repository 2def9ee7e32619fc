#include "models/cost/batch_turns.h"

#include <algorithm>
#include <numeric>

namespace rackwright::cost {
namespace {

double sum(const std::array<double, provenance_count>& seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

}  // namespace

double BatchTurns::exchange_s() const { return sum(first_exchange) + sum(second_exchange); }

void BatchTurns::add_scaled(const BatchTurns& more, double factor) {
  second_sm_s += more.second_sm_s * factor;
  second_memory_s += more.second_memory_s * factor;
  for (std::size_t i = 0; i < first_exchange.size(); ++i) first_exchange[i] += more.first_exchange[i] * factor;
  for (std::size_t i = 0; i < second_exchange.size(); ++i) second_exchange[i] += more.second_exchange[i] * factor;
}

TurnLine turn_line(const BatchTurns& turns, double computing_s, double speed) {
  const double m = turns.second_sm_s / speed + turns.second_memory_s;
  const double d = sum(turns.first_exchange);
  const double c = sum(turns.second_exchange);
  const double settled = (std::max(m, d) + std::max(m, c)) / 2;
  const double shorter = std::min(d, c);
  const double longer = std::max(d, c);
  const double a = computing_s - m;
  if (a < shorter) return {settled + (shorter + longer) / 2, 0, shorter + m};
  if (a < longer) return {settled + (longer - m) / 2, 0.5, longer + m};
  return {settled - m, 1, std::numeric_limits<double>::infinity()};
}

}  // namespace rackwright::cost
