#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "models/base/invariant.h"
#include "models/kernels/table/profile_table.h"
#include "tests/support/catch.h"

using namespace rackwright;
using namespace rackwright::kernels;
namespace fs = std::filesystem;

namespace {

struct ProfileFile {
  std::map<std::string, std::string> header;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  if (line.ends_with(',')) fields.emplace_back();
  return fields;
}

/// A reader of its own, so that writer and format are checked against the words of FORMAT.md.
ProfileFile read(const fs::path& path) {
  std::ifstream in(path);
  ProfileFile file;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {
      const auto colon = line.find(": ");
      file.header[line.substr(2, colon - 2)] = line.substr(colon + 2);
    } else if (file.columns.empty()) {
      file.columns = split(line);
    } else {
      file.rows.push_back(split(line));
    }
  }
  return file;
}

std::size_t column(const ProfileFile& file, const std::string& name) {
  const auto found = std::find(file.columns.begin(), file.columns.end(), name);
  INFO("column " << name);
  REQUIRE(found != file.columns.end());
  return static_cast<std::size_t>(found - file.columns.begin());
}

std::vector<fs::path> committed_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles"))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("Quantiles lie between order statistics") {
  // Ranks 0.9, 4.5 and 8.1 of ten values 1 … 10.
  const std::vector<double> values{10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  const Spread spread = spread_of(values);
  CHECK(spread.p10 == Approx(1.9));
  CHECK(spread.median == Approx(5.5));
  CHECK(spread.p90 == Approx(9.1));
  const std::vector<double> one{3};
  CHECK(spread_of(one).p90 == 3);
}

TEST_CASE("A profile file holds its header, timed rows and skipped rows with their reasons") {
  const fs::path folder = fs::path(RACKWRIGHT_BINARY_DIR) / "profile_table_test";
  fs::remove_all(folder);
  ProfileTable table("gemm", {"m", "n"});
  table.add({"1", "8"}, {"graph", {2.5, 2.25, 2.75}, 20, 16, 1980});
  table.skip({"2", "8"}, "eager", "first line, with a comma\nsecond line");
  table.write(folder, {{"device", "a device"}});
  const ProfileFile file = read(folder / "gemm.csv");
  CHECK(file.header.at("rackwright-profile") == "1");
  CHECK(file.header.at("family") == "gemm");
  CHECK(file.header.at("device") == "a device");
  CHECK(file.columns == split("m,n,mode,median_us,p10_us,p90_us,reps,inner,sm_mhz,skip"));
  REQUIRE(file.rows.size() == 2);
  CHECK(file.rows[0] == split("1,8,graph,2.5,2.25,2.75,20,16,1980,"));
  CHECK(file.rows[1] == split("2,8,eager,,,,,,,first line; with a comma second line"));
}

TEST_CASE("A row with another number of fields than columns is a bug of ours") {
  ProfileTable table("gemm", {"m"});
  CHECK_THROWS_AS(table.add({"1", "2"}, {}), InvariantViolation);
}

TEST_CASE("A folder that cannot be made is an environment error or a system error, not silence") {
  ProfileTable table("gemm", {"m"});
  const fs::path blocked = fs::path(RACKWRIGHT_BINARY_DIR) / "profile_table_blocked";
  fs::remove_all(blocked);
  std::ofstream(blocked) << "a file where the folder should be";
  CHECK_THROWS(table.write(blocked, {}));
  fs::remove_all(blocked);
}

TEST_CASE("Every committed profile file is whole: header, columns, and rows that are timed or say why not") {
  const auto files = committed_files();
  REQUIRE(files.size() >= 10);
  for (const auto& path : files) {
    INFO(path.string());
    const ProfileFile file = read(path);
    CHECK(file.header.at("family") == path.stem().string());
    for (const char* key : {"device", "driver", "cuda_runtime", "date", "sm_clock_max_mhz"}) CHECK(file.header.contains(key));
    // The comparison of cards is gathered by hand from several profiles, and was not drawn from a seed.
    if (file.header.at("family") != "cards")
      for (const char* key : {"seed", "sms", "inputs", "duty"}) CHECK(file.header.contains(key));
    REQUIRE_FALSE(file.rows.empty());
    for (const auto& row : file.rows) REQUIRE(row.size() == file.columns.size());
    if (std::find(file.columns.begin(), file.columns.end(), "median_us") == file.columns.end()) continue;
    const auto median = column(file, "median_us"), p10 = column(file, "p10_us"), p90 = column(file, "p90_us");
    const auto repetitions = column(file, "reps"), skip = column(file, "skip");
    for (const auto& row : file.rows) {
      if (row[median].empty()) {
        REQUIRE_FALSE(row[skip].empty());
        continue;
      }
      REQUIRE(row[skip].empty());
      REQUIRE(std::stod(row[p10]) > 0);
      REQUIRE(std::stod(row[p10]) <= std::stod(row[median]));
      REQUIRE(std::stod(row[median]) <= std::stod(row[p90]));
      REQUIRE(std::stoi(row[repetitions]) >= 20);
    }
  }
}

TEST_CASE("The committed H200 profile stays below what the silicon can do") {
  // Products: 2mnk flops at most at the dense peak; weights are cold, so e·n·k bytes at most at the
  // datasheet bandwidth.
  const fs::path folder = fs::path(RACKWRIGHT_SOURCE_DIR) / "models/kernels/profiles/nvidia-h200";
  const ProfileFile file = read(folder / "gemm.csv");
  const double peak = std::stod(file.header.at("tensor_peak_flops")), bandwidth = std::stod(file.header.at("hbm_peak_bytes_per_s"));
  const auto type = column(file, "type"), m = column(file, "m"), n = column(file, "n"), k = column(file, "k"), median = column(file, "median_us");
  for (const auto& row : file.rows) {
    if (row[median].empty()) continue;
    const bool fp8 = row[type] == "fp8_e4m3";
    const double seconds = std::stod(row[median]) * 1e-6, weights = std::stod(row[n]) * std::stod(row[k]);
    INFO(row[type] << ' ' << row[m] << ' ' << row[n] << ' ' << row[k]);
    REQUIRE(2 * std::stod(row[m]) * weights / seconds < (fp8 ? 2 : 1) * peak);
    // A weight smaller than a third of the cache may partly stay there from one turn to the next.
    if (weights * (fp8 ? 1 : 2) > 20e6) REQUIRE(weights * (fp8 ? 1 : 2) / seconds < bandwidth);
  }
}
