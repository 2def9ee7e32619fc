#include "tests/differential/device_checks.h"
#include "tests/differential/peer_copy_rows.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"

using namespace rackwright;

namespace {

std::vector<double> sorted_errors(const std::vector<test::DeviceCheck>& checks) {
  std::vector<double> errors;
  for (const test::DeviceCheck& check : checks) errors.push_back(std::abs(check.error()));
  std::ranges::sort(errors);
  return errors;
}

}  // namespace

TEST_CASE("Whole steps on one H200 and on two are the sum of their operators and all-reduces") {
  const std::vector<double> errors = sorted_errors(test::step_checks());
  REQUIRE(errors.size() > 60);
  CHECK(errors[errors.size() / 2] < 0.02);
  CHECK(errors.back() < 0.10);
}

TEST_CASE("Rounds of steps under the power limit take as long as on an H200") {
  const std::vector<test::DeviceCheck> checks = test::throttle_checks();
  REQUIRE(checks.size() > 6);
  for (const test::DeviceCheck& check : checks) {
    CAPTURE(check.name, check.measured_us, check.modelled_us, check.measured_w, check.modelled_w);
    CHECK(std::abs(check.error()) < 0.10);
    // The law is of a card that draws up to a tenth more for the same step; its fit adds up to another tenth.
    CHECK(std::abs(check.modelled_w / check.measured_w - 1) < 0.20);
  }
}

TEST_CASE("Two H200s copy up to a tenth faster than two of eight H100s were published to, over the same links") {
  const std::vector<test::PeerCopyRow> copies = test::peer_copy_rows();
  REQUIRE(copies.size() == 3);
  for (const test::PeerCopyRow& row : copies) {
    CAPTURE(row.name, row.measured, row.published);
    CHECK(row.difference() > 0);
    CHECK(row.difference() < 0.10);
  }
}
