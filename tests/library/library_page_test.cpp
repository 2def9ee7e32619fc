#include <fstream>
#include <sstream>

#include "tests/library/library_answer.h"
#include "tests/support/catch.h"

using namespace rackwright;

namespace {

/// To approve: build/release/tests/write_library_pages scenarios/library
void check_page(const test::LibraryChapter& chapter) {
  std::ifstream file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/" + chapter.folder + "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  test::LibraryRuns runs;
  CHECK(test::library_page(chapter, runs) == text.str());
}

}  // namespace

TEST_CASE("The tutorial's page says what its runs say") { check_page(test::tutorial_chapter()); }
TEST_CASE("The page on disaggregation says what its runs say") { check_page(test::disaggregation_chapter()); }
TEST_CASE("The page on mixed accelerators says what its runs say") { check_page(test::mixed_chapter()); }
TEST_CASE("The page on networks says what its runs say") { check_page(test::network_chapter()); }
