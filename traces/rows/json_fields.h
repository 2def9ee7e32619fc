#pragma once

#include <memory>
#include <string_view>

#include "traces/rows/field_paths.h"
#include "traces/rows/row_source.h"

namespace rackwright::traces {

/// Takes the mapped fields out of JSON text.
class JsonFields {
 public:
  JsonFields();
  ~JsonFields();

  /// Ends the life of the last row's views. `read_row` does it too.
  void begin_row();

  /// Reads one JSON object. `text` has TextBuffer::padding readable bytes behind it. Sets `row.problem` where
  /// the text is no JSON object; the row's views live until the next call.
  void read_row(std::string_view text, const FieldPaths& paths, RawRow& row);

  /// Reads a cell or string that holds a JSON object or a Python dict literal; does nothing for any other text.
  void read_cell(std::string_view text, const FieldPaths& paths, RawRow& row);

 private:
  struct Parsers;
  std::unique_ptr<Parsers> parsers_;
};

}  // namespace rackwright::traces
