#include "models/base/diagnostic.h"
#include "models/base/names.h"
#include "models/base/quantity.h"
#include "models/base/random.h"
#include "models/base/time.h"
#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("A quantity is read into the base unit of its dimension") {
  QuantityError error;
  CHECK(parse_quantity("4.8 TB/s", "B/s", error) == 4.8e12);
  CHECK(parse_quantity("400 Gb/s", "B/s", error) == 50e9);
  CHECK(parse_quantity("132kW", "W", error) == 132e3);
  CHECK(parse_quantity("35 degC", "degC", error) == 35);
  CHECK(parse_quantity("8 /s", "1/s", error) == 8);
  CHECK(parse_quantity("10 min", "s", error) == 600);
  CHECK(parse_quantity("75 %", "fraction", error) == 0.75);
  CHECK(parse_quantity("0.75", "fraction", error) == 0.75);
}

TEST_CASE("A quantity without its unit, or with a strange one, is refused with the units that fit") {
  QuantityError error;
  CHECK_FALSE(parse_quantity("4.8", "B/s", error));
  CHECK(error.message == "'4.8' has no unit");
  CHECK_FALSE(parse_quantity("4.8 GB", "B/s", error));
  CHECK(error.message == "'4.8 GB' is in GB, but B/s is expected");
  CHECK_FALSE(parse_quantity("4.8 gb/s", "B/s", error));
  CHECK_FALSE(parse_quantity("1e999 W", "W", error));
  CHECK_FALSE(parse_quantity("nan W", "W", error));
  CHECK_FALSE(parse_quantity("", "W", error));
  CHECK_FALSE(parse_quantity("3 W", "", error));
}

TEST_CASE("A formatted quantity reads back to the same bits") {
  const auto [value, dimension, text] = GENERATE(table<double, std::string, std::string>({
      {4.8e12, "B/s", "4.8 TB/s"}, {50e9, "B/s", "50 GB/s"}, {0.0005, "s", "500 us"}, {0, "s", "0 s"},
      {132e3, "W", "132 kW"}, {8, "1/s", "8 /s"}, {1.0 / 3, "s", ""}, {35, "degC", "35 degC"}}));
  const std::string written = format_quantity(value, dimension);
  if (!text.empty()) CHECK(written == text);
  QuantityError error;
  CHECK(parse_quantity(written, dimension, error) == value);
}

TEST_CASE("A time is kept in whole picoseconds") {
  CHECK(sim_time(1e-12).ps == 1);
  CHECK(sim_time(0.1).ps == 100'000'000'000);
  CHECK(sim_time(1e30) == SimTime::max());
}

TEST_CASE("The nearest name is offered for a typing error, not for another word") {
  const std::vector<std::string> names{"token_budget", "max_sequences", "policy"};
  CHECK(nearest_name("token_bugdet", names) == "token_budget");
  CHECK(nearest_name("zebra", names).empty());
  CHECK(name_hint("zebra", names) == "known: token_budget, max_sequences, policy");
}

TEST_CASE("A random stream depends on its key alone") {
  RandomStream a(7, "pools/chat/0", "acceptance");
  RandomStream b(7, "pools/chat/0", "acceptance");
  for (int i = 0; i < 10; ++i) a();
  CHECK(a.at(3, 5)() == b.at(3, 5)());
  CHECK(b.at(3, 5)() != b.at(5, 3)());
  CHECK(RandomStream(8, "pools/chat/0", "acceptance")() != b());
}

TEST_CASE("A diagnostic says where, what and what to do") {
  const Diagnostic finding{Severity::error, {"a.yaml", 4, 12}, "deployment[0].on", "no rack is called 'b'", "did you mean 'a'?"};
  CHECK(to_string(finding) == "a.yaml:4:12: error: deployment[0].on: no rack is called 'b' (did you mean 'a'?)");
}
