#include "models/kernels/table/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "models/base/invariant.h"

namespace rackwright::kernels {
namespace {

std::string joined(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (!line.empty() || &field != fields.data()) line += ',';
    line += field;
  }
  return line;
}

std::string without_separators(std::string text) {
  std::replace(text.begin(), text.end(), ',', ';');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

ProfileTable::ProfileTable(std::string family, std::vector<std::string> columns)
    : family_(std::move(family)), columns_(std::move(columns)) {
  for (const char* result : {"mode", "median_us", "p10_us", "p90_us", "reps", "inner", "sm_mhz", "skip"})
    columns_.emplace_back(result);
}

ProfileTable ProfileTable::untimed(std::string family, std::vector<std::string> columns) {
  ProfileTable table(std::move(family), {});
  table.columns_ = std::move(columns);
  return table;
}

void ProfileTable::add(std::vector<std::string> shape, const TimedResult& result) {
  shape.push_back(result.mode);
  for (double value : {result.us.median, result.us.p10, result.us.p90}) shape.push_back(number(value));
  shape.push_back(fmt::format("{}", result.repetitions));
  shape.push_back(fmt::format("{}", result.inner));
  shape.push_back(result.sm_mhz > 0 ? fmt::format("{:.0f}", result.sm_mhz) : "");
  shape.emplace_back();
  add_raw(std::move(shape));
}

void ProfileTable::skip(std::vector<std::string> shape, const std::string& mode, const std::string& reason) {
  shape.push_back(mode);
  shape.insert(shape.end(), 6, "");
  shape.push_back(without_separators(reason));
  add_raw(std::move(shape));
}

void ProfileTable::add_raw(std::vector<std::string> fields) {
  invariant(fields.size() == columns_.size(), "a profile row has one field per column: " + family_);
  rows_.push_back(std::move(fields));
}

void ProfileTable::write(const std::filesystem::path& folder, const ProfileHeader& header) const {
  std::filesystem::create_directories(folder);
  const auto path = folder / (family_ + ".csv");
  std::ofstream out(path, std::ios::binary);
  out << "# rackwright-profile: 1\n# family: " << family_ << '\n';
  for (const auto& [key, value] : header) out << "# " << key << ": " << value << '\n';
  out << joined(columns_) << '\n';
  for (const auto& row : rows_) out << joined(row) << '\n';
  if (!out.flush()) throw EnvironmentError("cannot write the profile file " + path.string());
}

std::string number(double value) { return fmt::format("{:.5g}", value); }

}  // namespace rackwright::kernels
