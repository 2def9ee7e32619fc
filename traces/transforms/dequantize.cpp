#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "models/base/invariant.h"
#include "models/base/random.h"
#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

/// Holds the requests of one instant and the first of the next.
class Dequantized final : public RequestSource {
 public:
  Dequantized(Requests source, SimTime tick, std::uint64_t seed, RowCounts& counts)
      : source_(std::move(source)), tick_(tick), random_(seed, "traces", "dequantize"), counts_(counts) {
    invariant(tick > SimTime{}, "a clock tick is longer than 0");
    has_ahead_ = source_->next(ahead_);
  }

  bool next(Request& request) override {
    if (given_ == size_ && !fill()) return false;
    std::swap(request, group_[given_]);
    shift(request, offsets_[given_++]);
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  bool fill() {
    given_ = size_ = 0;
    if (!has_ahead_) return false;
    const SimTime instant = ahead_.arrival;
    do {
      if (size_ == group_.size()) group_.emplace_back();
      std::swap(group_[size_++], ahead_);
      has_ahead_ = source_->next(ahead_);
    } while (has_ahead_ && ahead_.arrival == instant);
    const SimTime room = has_ahead_ ? std::min(tick_, ahead_.arrival - instant) : tick_;
    RandomStream draws = random_.at(static_cast<std::uint64_t>(instant.ps));
    offsets_.clear();
    for (std::size_t i = 0; i < size_; ++i) {
      offsets_.push_back({static_cast<std::int64_t>(std::floor(draws.uniform() * static_cast<double>(room.ps)))});
    }
    std::ranges::sort(offsets_);
    return true;
  }
  void shift(Request& request, SimTime by) {
    if (by == SimTime{}) return;
    counts_.add(RowCause::spread, RowFate::repaired, request.id + 1);
    request.arrival += by;
    if (request.logged.first_token) *request.logged.first_token += by;
    if (request.logged.completion) *request.logged.completion += by;
  }

  Requests source_;
  SimTime tick_;
  RandomStream random_;
  RowCounts& counts_;
  std::vector<Request> group_;  ///< The first `size_` are in use.
  std::vector<SimTime> offsets_;
  std::size_t size_ = 0;
  std::size_t given_ = 0;
  Request ahead_;
  bool has_ahead_ = false;
};

}  // namespace

Requests dequantize(Requests source, SimTime tick, std::uint64_t seed, RowCounts& counts) {
  return std::make_unique<Dequantized>(std::move(source), tick, seed, counts);
}

}  // namespace rackwright::traces
