#include <google/protobuf/descriptor.h>

#include "scenarios/schema/scenario.pb.h"
#include "scenarios/schema/schema_problems.h"
#include "scenarios/schema/sources.pb.h"
#include "tests/support/catch.h"

using namespace rackwright;

TEST_CASE("The schema of scenarios and of the catalog keeps its own rules") {
  for (const auto* root : {v1::Scenario::descriptor(), v1::CatalogSource::descriptor(), v1::Switch::descriptor()}) {
    for (const std::string& problem : scenarios::schema_problems(*root)) FAIL_CHECK(problem);
  }
}
