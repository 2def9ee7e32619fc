#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

/// Reads ahead, and gives a request that follows another as early as the first one of its line: from then on the end
/// of its parent releases it, and not the log's clock.
class ReleasedEarly final : public RequestSource {
 public:
  ReleasedEarly(Requests source, std::size_t window) : source_(std::move(source)), window_(window) {}

  bool next(Request& request) override {
    while (!is_over_ && held_.size() < window_) read();
    if (held_.empty()) return false;
    std::ranges::pop_heap(held_, later);
    std::swap(request, held_.back());
    held_.pop_back();
    move_to(request, std::max(request.arrival, given_until_));
    given_until_ = request.arrival;
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  /// As serving::Dependents: who follows a request of longer ago arrives at its own time.
  static constexpr SimTime memory{3'600 * picoseconds_per_second};
  struct Known {
    SimTime arrival;
    std::uint64_t id = 0;
  };
  static bool later(const Request& a, const Request& b) { return std::pair(a.arrival, a.id) > std::pair(b.arrival, b.id); }
  static void move_to(Request& request, SimTime arrival) {
    const SimTime by = arrival - request.arrival;
    request.arrival = arrival;
    if (request.logged.first_token) *request.logged.first_token += by;
    if (request.logged.completion) *request.logged.completion += by;
  }

  void read() {
    Request request;
    is_over_ = !source_->next(request);
    if (is_over_) return;
    for (; !known_.empty() && known_.front().arrival + memory < request.arrival; known_.pop_front()) first_of_line_.erase(known_.front().id);
    if (request.session != 0) known_.push_back({request.arrival, request.id});
    if (request.parent) {
      const auto parent = first_of_line_.find(*request.parent);
      if (parent != first_of_line_.end()) move_to(request, parent->second);
    }
    if (request.session != 0) first_of_line_.emplace(request.id, request.arrival);
    held_.push_back(std::move(request));
    std::ranges::push_heap(held_, later);
  }

  Requests source_;
  std::size_t window_;
  bool is_over_ = false;
  SimTime given_until_;
  std::vector<Request> held_;  ///< A heap, the earliest first.
  std::unordered_map<std::uint64_t, SimTime> first_of_line_;
  std::deque<Known> known_;
};

}  // namespace

Requests release_early(Requests source, std::size_t window) { return std::make_unique<ReleasedEarly>(std::move(source), window); }

}  // namespace rackwright::traces
