#include "sim/serving/intake.h"

#include <algorithm>
#include <utility>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

constexpr std::uint32_t entity = 0;
constexpr std::uint64_t next_token = ~std::uint64_t{0};  // Other tokens are parked requests.

}  // namespace

void Intake::pull() {
  if (source_.next(next_)) engine_.at(std::max(next_.arrival, engine_.now()), engine::Phase::arrival, entity, *this, next_token);
}

void Intake::on_event(std::uint64_t token) {
  if (token == next_token) {
    take_next();
    return;
  }
  traces::Request request = std::move(parked_[token]);
  free_parked_.push_back(token);
  owner_.on_arrival(request);
}

void Intake::take_next() {
  owner_.on_taken();
  dependents_.open(next_);
  if (!next_.parent) {
    owner_.on_arrival(next_);
  } else {
    const auto [turn, when] = dependents_.take(next_, engine_.now());
    if (turn == Dependents::Turn::lost) lose({std::move(next_)});
    else if (turn == Dependents::Turn::due && when == engine_.now()) owner_.on_arrival(next_);
    else if (turn == Dependents::Turn::due) park(std::move(next_), when);
  }
  pull();
}

void Intake::park(traces::Request request, SimTime until) {
  if (free_parked_.empty()) {
    free_parked_.push_back(parked_.size());
    parked_.emplace_back();
  }
  const std::uint64_t slot = free_parked_.back();
  free_parked_.pop_back();
  parked_[slot] = std::move(request);
  engine_.at(until, engine::Phase::arrival, entity, *this, slot);
}

void Intake::on_left(std::uint64_t request, bool has_completed) {
  std::vector<traces::Request> children = dependents_.close(request, has_completed, engine_.now());
  if (!has_completed) {
    lose(std::move(children));
    return;
  }
  for (traces::Request& child : children) {
    const SimTime due = std::max(child.arrival, saturating_sum(engine_.now(), child.think_time));
    park(std::move(child), due);
  }
}

// A parent did not complete: its children are cancelled, and theirs.
void Intake::lose(std::vector<traces::Request> requests) {
  while (!requests.empty()) {
    const traces::Request request = std::move(requests.back());
    requests.pop_back();
    owner_.on_lost(request);
    for (traces::Request& child : dependents_.close(request.id, false, engine_.now())) requests.push_back(std::move(child));
  }
}

}  // namespace rackwright::serving
