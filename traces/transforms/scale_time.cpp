#include <cmath>
#include <utility>

#include "models/base/invariant.h"
#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

class Scaled final : public RequestSource {
 public:
  Scaled(Requests source, double factor) : source_(std::move(source)), factor_(factor) {
    invariant(factor > 0 && std::isfinite(factor), "a time scale is a positive number");
  }

  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    const SimTime arrival = scaled(request.arrival);
    const SimTime moved = arrival - request.arrival;
    request.arrival = arrival;
    request.think_time = scaled(request.think_time);
    if (request.logged.first_token) *request.logged.first_token += moved;
    if (request.logged.completion) *request.logged.completion += moved;
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  /// To the nearest picosecond; stops at the end of simulated time. Monotonic, so the order of arrivals stays.
  SimTime scaled(SimTime time) const {
    const long double ps = static_cast<long double>(time.ps) * static_cast<long double>(factor_);
    constexpr auto most = static_cast<long double>(SimTime::max().ps);
    return ps >= most ? SimTime::max() : SimTime{std::llround(ps)};
  }

  Requests source_;
  double factor_;
};

}  // namespace

Requests scale_time(Requests source, double factor) { return std::make_unique<Scaled>(std::move(source), factor); }

}  // namespace rackwright::traces
