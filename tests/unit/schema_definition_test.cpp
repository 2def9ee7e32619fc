#include <google/protobuf/descriptor.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "scenarios/schema/reference.h"
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

TEST_CASE("The reference in docs is the one that the schema gives (write_reference docs/reference)") {
  std::ifstream file(std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "docs/reference/scenario.md", std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  // Compared as a whole: the difference would fill the screen.
  const bool is_current = written == scenarios::reference_markdown(scenarios::describe(*v1::Scenario::descriptor()));
  CHECK(is_current);
}
