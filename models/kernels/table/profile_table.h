#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "models/kernels/table/spread.h"

namespace rackwright::kernels {

/// The `# key: value` lines of a profile file, in order (profiles/FORMAT.md).
using ProfileHeader = std::vector<std::pair<std::string, std::string>>;

/// How one shape was timed: the result columns of a row.
struct TimedResult {
  std::string mode = "graph";
  Spread us;           ///< Of one call, in microseconds.
  int repetitions = 0;
  int inner = 1;       ///< Calls in one repetition.
  double sm_mhz = 0;   ///< 0: not taken.
};

/// Rows of one operator family on their way into a CSV file.
///
/// Not thread-safe. Fields must hold neither commas nor line breaks; a comma in a reason becomes a semicolon.
class ProfileTable {
 public:
  /// `columns` are the shape columns; the timed result columns follow them.
  ProfileTable(std::string family, std::vector<std::string> columns);
  /// A table whose columns are all the caller's (energy).
  static ProfileTable untimed(std::string family, std::vector<std::string> columns);

  void add(std::vector<std::string> shape, const TimedResult& result);
  void skip(std::vector<std::string> shape, const std::string& mode, const std::string& reason);
  void add_raw(std::vector<std::string> fields);

  /// Writes header, column names and rows to `folder/family.csv`.
  /// Throws EnvironmentError when the file cannot be written.
  void write(const std::filesystem::path& folder, const ProfileHeader& header) const;

  const std::string& family() const { return family_; }
  std::size_t size() const { return rows_.size(); }

 private:
  std::string family_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Shortest text that reads back within 1e-5 relative: times and clocks need no more.
std::string number(double value);

}  // namespace rackwright::kernels
