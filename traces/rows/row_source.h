#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/rows/column_mapping.h"
#include "traces/text/line_reader.h"

namespace rackwright::traces {

/// The text of one field in one row; numbers are texts too.
struct FieldValue {
  std::string_view text;
  std::uint8_t column = 0;  ///< Which of the field's columns it came from.
  bool present = false;     ///< False for a missing, null or empty value.
};

/// One row of a log, not yet understood. Views live until the next row is read.
struct RawRow {
  std::uint64_t line = 0;  ///< Where it starts, from 1.
  std::array<FieldValue, field_count> values;
  std::vector<std::uint64_t> block_hashes;
  std::int32_t block_tokens = 0;  ///< Where the hash list itself says so, else 0.
  bool repaired_utf8 = false;
  std::string problem;  ///< Why the row cannot be read; empty when it can.
  /// Room for the texts of numbers that the container keeps in binary.
  std::array<std::array<char, 32>, field_count> number_texts;

  const FieldValue& operator[](Field field) const { return values[static_cast<std::size_t>(field)]; }
  FieldValue& operator[](Field field) { return values[static_cast<std::size_t>(field)]; }
  void clear() {
    values.fill({});
    block_hashes.clear();
    block_tokens = 0;
    repaired_utf8 = false;
    problem.clear();
  }
};

/// The rows of one container (CSV, JSON lines, a JSON document), seen through a column mapping.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// False at the end. A row that cannot be read is given too, with its `problem`.
  virtual bool next(RawRow& row) = 0;
  virtual LineMarks marks() const = 0;
  /// Why the bytes ended too early, such as a damaged gzip stream; empty when they did not.
  virtual std::string_view problem() const = 0;
  virtual std::uint64_t bytes_read() const = 0;
};

}  // namespace rackwright::traces
