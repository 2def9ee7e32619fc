#include "tests/differential/repeated_profile.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;

namespace {

void write(const std::filesystem::path& file, const std::string& rows) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "# rackwright-profile: 1\nop,bytes,mode,median_us,p10_us,p90_us,reps,inner,sm_mhz,skip\n" << rows;
}

}  // namespace

TEST_CASE("A point repeats when its median moved by no more than its spread or 3 percent, whichever is larger") {
  const test::TemporaryFolder folder;
  write(folder.path() / "before/copy.csv",
        "read,1,graph,100,99,101,20,1,,\n"    // 103: 3 %.
        "read,2,graph,100,99,101,20,1,,\n"    // 96: 4 % of a spread of 2 %.
        "read,4,graph,100,97,103,20,1,,\n"    // 105: 5 % of a spread of 6 %.
        "read,8,graph,100,99,101,20,1,,\n"    // Not measured again.
        "read,16,graph,,,,,,,it failed\n"
        "read,1,eager,10,10,10,20,1,,\n");    // 20; the other run's spread does not excuse it.
  write(folder.path() / "again/copy.csv",
        "read,1,graph,103,90,110,20,1,,\n"
        "read,2,graph,96,90,110,20,1,,\n"
        "read,4,graph,105,90,110,20,1,,\n"
        "read,16,graph,5,5,5,20,1,,\n"
        "read,1,eager,20,5,30,20,1,,\n");
  write(folder.path() / "before/other.csv", "read,1,graph,1,1,1,20,1,,\n");
  Diagnostics findings;
  const auto families = test::repeated_families(folder.path() / "before", folder.path() / "again", findings);
  CHECK(findings.all().empty());
  REQUIRE(families.size() == 2);
  const test::RepeatedFamily &eager = families[0], &graph = families[1];
  CHECK(graph.family == "copy");
  CHECK(graph.mode == "graph");
  CHECK(graph.points == 3);
  CHECK(graph.repeat == 2);
  CHECK(graph.median_difference == Approx(0.03));
  CHECK(graph.worst_difference == Approx(0.05));
  CHECK(graph.worst == "read,4");
  CHECK(eager.points == 1);
  CHECK(eager.repeat == 0);
}

TEST_CASE("Tables without times of calls are left out, and a folder repeats itself") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "idle.csv") << "# rackwright-profile: 1\nstate,mean_w\nidle,80\n";
  write(folder.path() / "copy.csv", "read,1,graph,100,99,101,20,1,,\n");
  Diagnostics findings;
  const auto families = test::repeated_families(folder.path(), folder.path(), findings);
  CHECK(findings.all().empty());
  REQUIRE(families.size() == 1);
  CHECK(families[0].share() == 1);
  CHECK(families[0].worst_difference == 0);
}
