#pragma once

#include <string>
#include <vector>

#include "traces/rows/field_paths.h"
#include "traces/rows/json_fields.h"
#include "traces/rows/row_source.h"

namespace rackwright::traces {

/// Rows of a CSV file. Columns are found by the names in its header (or in `mapping.header`), never by position.
class CsvRows final : public RowSource {
 public:
  CsvRows(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping);

  bool next(RawRow& row) override;
  LineMarks marks() const override { return lines_.marks(); }
  std::string_view problem() const override { return text_.problem(); }
  std::uint64_t bytes_read() const override { return text_.bytes_read(); }

 private:
  void resolve(const std::vector<std::string>& header);
  bool join_quoted_lines(std::string_view& record);
  void read_cells(std::string_view record, RawRow& row);

  FieldPaths paths_;
  TextBuffer text_;
  LineReader lines_;
  JsonFields json_;
  char delimiter_ = ',';
  /// What to do with each column; null where nothing wants it.
  std::vector<const FieldPaths*> wanted_;
  std::vector<std::string_view> cells_;
  std::string unescaped_;
  std::string repaired_;
  int unclosed_ = 0;  ///< Records so far with a quote that no line closed.
};

/// Skips blank lines and lines that start with '#'. False at the end.
bool next_csv_line(LineReader& lines, std::string_view& line);

}  // namespace rackwright::traces
