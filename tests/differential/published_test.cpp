#include <cmath>

#include "tests/differential/published_signs.h"
#include "tests/differential/published_tables.h"
#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("No simulated figure is further from a published one than was recorded") {
  const std::size_t index = GENERATE(range(std::size_t{0}, test::published_tables().size()));
  const test::PublishedTable& table = test::published_tables().at(index);
  CAPTURE(table.title);
  for (const test::PublishedRow& row : table.rows) {
    const double is = test::simulated(table, row);
    CAPTURE(row.name, row.published, is, is / row.published - 1);
    CHECK(std::abs(is / row.published - 1) <= row.bound);
  }
}

TEST_CASE("Of two ways of serving, that wins here which others saw win") {
  const std::size_t index = GENERATE(range(std::size_t{0}, test::published_signs().size()));
  const test::PublishedSign& sign = test::published_signs().at(index);
  const test::SignFigures figures = test::simulated(sign);
  CAPTURE(sign.claim, figures.wins, figures.loses);
  CHECK(test::holds(sign, figures));
}
