#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"

namespace rackwright::cost {

/// A small CSV file with a header line, without quotes: measured tables. Lines that begin with '#' before the header hold
/// "key: value". Kept whole in memory.
class CsvTable {
 public:
  /// Findings about the form of the text go to `diagnostics`, under the name of the file that it came from.
  CsvTable(std::string file, std::string content, Diagnostics& diagnostics);
  /// Reads a file. Throws EnvironmentError when it cannot be read.
  static CsvTable read(const std::filesystem::path& file, Diagnostics& diagnostics);
  CsvTable(CsvTable&&) = delete;  // Fields point into the content.

  std::size_t rows() const { return lines_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_column(std::string_view name) const;
  /// The header's value, or "".
  std::string header(const std::string& key) const;

  /// The text in a column; "" when there is no such column.
  std::string_view text(std::size_t row, std::string_view column) const;
  /// The finite number in a column; an error where there is none.
  double number(std::size_t row, std::string_view column, Diagnostics& diagnostics) const;
  /// The same, or `otherwise` where the field is empty or the column is missing.
  double number_or(std::size_t row, std::string_view column, double otherwise, Diagnostics& diagnostics) const;

  /// Reports every column that is not there, with those that are. True when all are.
  bool require(std::initializer_list<std::string_view> columns, Diagnostics& diagnostics) const;
  Location where(std::size_t row) const { return {file_, lines_[row].number, 1}; }

 private:
  struct Line {
    int number;
    std::vector<std::string_view> fields;
  };
  std::optional<std::size_t> column(std::string_view name) const;

  std::string file_;
  std::string content_;
  std::map<std::string, std::string> header_;
  std::vector<std::string> columns_;
  std::vector<Line> lines_;
};

}  // namespace rackwright::cost
