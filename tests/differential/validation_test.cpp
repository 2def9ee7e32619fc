#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tests/differential/validation_cases.h"
#include "tests/support/catch.h"
#include "tests/support/shared_data.h"

using namespace rackwright;

TEST_CASE("No simulated figure of a real serving run is further off than was recorded") {
  const std::size_t index = GENERATE(range(std::size_t{0}, test::validation_cases().size()));
  const test::ValidationCase& one = test::validation_cases().at(index);
  const std::filesystem::path data = test::shared_data(one.data);  // Skips with the reason where it is absent.
  const std::string root = data.string().substr(0, data.string().size() - one.data.size());
  setenv("RACKWRIGHT_DATA", root.c_str(), 0);
  CAPTURE(one.title);
  for (const test::ValidationFigure& figure : test::validate(one)) {
    CAPTURE(figure.name, figure.measured, figure.simulated, figure.error());
    CHECK(std::abs(figure.error()) <= figure.bound);
  }
}
