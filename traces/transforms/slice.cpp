#include <algorithm>
#include <utility>

#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

/// The part of a stream that a rule lets through, renumbered and counted from `start_`.
class Slice : public RequestSource {
 public:
  Slice(Requests source, RowCounts& counts) : source_(std::move(source)), counts_(counts) {}

  bool next(Request& request) override {
    while (!ended_ && source_->next(request)) {
      switch (place(request)) {
        case Place::inside: return give(request);
        case Place::before: break;
        case Place::after: ended_ = true; return false;
      }
      counts_.add(RowCause::outside_slice, RowFate::dropped, request.id + 1);
    }
    return false;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }

 protected:
  enum class Place { before, inside, after };
  virtual Place place(const Request& request) = 0;
  /// The instant that becomes 0, asked once, with the first request inside.
  virtual SimTime start(const Request& first) const = 0;

 private:
  bool give(Request& request) {
    if (given_++ == 0) {
      start_ = start(request);
      first_id_ = request.id;
    }
    if (request.parent && *request.parent < first_id_) {
      counts_.add(RowCause::unknown_parent, RowFate::repaired, request.id + 1);
      request.parent.reset();
      request.think_time = {};
    }
    request.id -= first_id_;
    if (request.parent) *request.parent -= first_id_;
    request.arrival -= start_;
    if (request.logged.first_token) *request.logged.first_token -= start_;
    if (request.logged.completion) *request.logged.completion -= start_;
    return true;
  }

  Requests source_;
  RowCounts& counts_;
  bool ended_ = false;
  std::uint64_t given_ = 0;
  std::uint64_t first_id_ = 0;
  SimTime start_;
};

class TimeSlice final : public Slice {
 public:
  TimeSlice(Requests source, SimTime from, SimTime to, RowCounts& counts) : Slice(std::move(source), counts), from_(from), to_(to) {}

 private:
  Place place(const Request& request) override {
    if (request.arrival < from_) return Place::before;
    return request.arrival < to_ ? Place::inside : Place::after;
  }
  SimTime start(const Request&) const override { return from_; }

  SimTime from_;
  SimTime to_;
};

class CountSlice final : public Slice {
 public:
  CountSlice(Requests source, std::uint64_t skip, std::uint64_t count, RowCounts& counts)
      : Slice(std::move(source), counts), skip_(skip), left_(count) {}

 private:
  Place place(const Request&) override {
    if (skip_ > 0) return --skip_, Place::before;
    if (left_ == 0) return Place::after;
    return --left_, Place::inside;
  }
  SimTime start(const Request& first) const override { return first.arrival; }

  std::uint64_t skip_;
  std::uint64_t left_;
};

}  // namespace

Requests slice_time(Requests source, SimTime from, SimTime to, RowCounts& counts) {
  return std::make_unique<TimeSlice>(std::move(source), from, to, counts);
}

Requests slice_count(Requests source, std::uint64_t skip, std::uint64_t count, RowCounts& counts) {
  return std::make_unique<CountSlice>(std::move(source), skip, count, counts);
}

}  // namespace rackwright::traces
