#include <ctime>
#include <vector>

#include "models/base/invariant.h"
#include "models/base/random.h"
#include "sim/engine/calendar.h"
#include "sim/engine/make_engine.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::engine;

namespace {

struct Silent : EventHandler {
  void on_event(std::uint64_t) override {}
};

std::vector<std::uint64_t> take_all(Calendar& calendar) {
  std::vector<std::uint64_t> tokens;
  while (!calendar.empty()) tokens.push_back(calendar.take().token);
  return tokens;
}

/// Processor time, so that a busy machine fails no test.
double cpu_seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
constexpr double most_cpu_seconds = 1;
#else
constexpr double most_cpu_seconds = 10;  // Not optimized, or watched: only the order of growth is checked.
#endif

}  // namespace

TEST_CASE("Events come by time, then phase, then entity, then creation") {
  Calendar calendar;
  Silent handler;
  calendar.add({20}, Phase::transfer, 0, handler, 6);
  calendar.add({10}, Phase::observe, 0, handler, 5);
  calendar.add({10}, Phase::step, 2, handler, 3);
  calendar.add({10}, Phase::step, 2, handler, 4);
  calendar.add({10}, Phase::step, 1, handler, 2);
  calendar.add({10}, Phase::transfer, 9, handler, 1);
  CHECK(calendar.first_time() == SimTime{10});
  CHECK(take_all(calendar) == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6});
  CHECK(calendar.first_time() == SimTime::max());
}

TEST_CASE("An event is cancelled once, and never after it was taken") {
  Calendar calendar;
  Silent handler;
  const EventId first = calendar.add({1}, Phase::step, 0, handler, 1);
  const EventId second = calendar.add({2}, Phase::step, 0, handler, 2);
  CHECK(calendar.cancel(first));
  CHECK_FALSE(calendar.cancel(first));
  CHECK(calendar.first_time() == SimTime{2});
  // The slot of the first is used again: its old name must not reach the new event.
  calendar.add({3}, Phase::step, 0, handler, 3);
  CHECK_FALSE(calendar.cancel(first));
  CHECK(calendar.take().token == 2);
  CHECK_FALSE(calendar.cancel(second));
  CHECK_FALSE(calendar.cancel(EventId{}));
  CHECK(take_all(calendar) == std::vector<std::uint64_t>{3});
}

TEST_CASE("Taking from an empty calendar is a bug of ours") {
  Calendar calendar;
  CHECK_THROWS_AS(calendar.take(), InvariantViolation);
}

TEST_CASE("A million waiting events are added and taken in under a second") {
  Calendar calendar;
  Silent handler;
  RandomStream random(1, "calendar", "times");
  const auto start = std::clock();
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    calendar.add({static_cast<std::int64_t>(random() >> 20)}, Phase::step, 0, handler, i);
  SimTime last;
  bool in_order = true;
  while (!calendar.empty()) {
    const SimTime when = calendar.take().when;
    in_order = in_order && last <= when;
    last = when;
  }
  CHECK(in_order);
  CHECK(cpu_seconds_since(start) < most_cpu_seconds);
}

TEST_CASE("Entities beyond the bits of a key keep their order") {
  // Keys hold 29 bits of the entity; the last three differ only above them.
  Calendar calendar;
  Silent handler;
  const std::uint32_t large = 1u << 29;
  calendar.add({1}, Phase::step, 2 * large, handler, 4);
  calendar.add({1}, Phase::step, large + 1, handler, 3);
  calendar.add({1}, Phase::step, large, handler, 2);
  calendar.add({1}, Phase::step, 5, handler, 1);
  calendar.add({1}, Phase::arrival, 0, handler, 5);
  CHECK(take_all(calendar) == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
}

TEST_CASE("An event planned anew with its old creation keeps its place among its equals") {
  Calendar calendar;
  Silent handler;
  const std::uint64_t creation = calendar.next_creation();
  const EventId early = calendar.add({5}, Phase::transfer, 1, creation, handler, 1);
  calendar.add({9}, Phase::transfer, 1, handler, 2);
  CHECK(calendar.cancel(early));
  calendar.add({9}, Phase::transfer, 1, creation, handler, 1);
  CHECK(take_all(calendar) == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("A million events of a thousand entities run in under a second") {
  struct Ticker : EventHandler {
    explicit Ticker(Engine& engine) : engine_(engine) {}
    void on_event(std::uint64_t entity) override {
      if (++events == 1'000'000) engine_.stop();
      engine_.at(engine_.now() + SimTime{static_cast<std::int64_t>(900 + entity)}, Phase::step,
                 static_cast<std::uint32_t>(entity), *this, entity);
    }
    Engine& engine_;
    int events = 0;
  };
  const auto engine = make_engine();
  Ticker ticker(*engine);
  const auto start = std::clock();
  for (std::uint32_t entity = 0; entity < 1000; ++entity) engine->at({0}, Phase::step, entity, ticker, entity);
  engine->run();
  CHECK(ticker.events == 1'000'000);
  CHECK(cpu_seconds_since(start) < most_cpu_seconds);
}

TEST_CASE("A far event that is dropped and planned again for ever takes no more room") {
  // Every step plans its next wake-up 10^6 ps ahead and drops the plan at the next one. Without rebuilding, 10^6
  // dead keys would slow every later event by their depth. As many cancellations as keys lie between two rebuilds.
  Calendar calendar;
  Silent handler;
  const auto start = std::clock();
  EventId plan;
  for (std::int64_t t = 0; t < 1'000'000; ++t) {
    calendar.cancel(plan);
    plan = calendar.add({t + 1'000'000}, Phase::step, 0, handler, 0);
  }
  CHECK(calendar.take().when == SimTime{1'999'999});
  CHECK(calendar.empty());
  CHECK(cpu_seconds_since(start) < most_cpu_seconds);
}
