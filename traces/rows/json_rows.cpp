#include "traces/rows/json_rows.h"

#include <utility>

#include "traces/rows/field_paths.h"
#include "traces/rows/json_fields.h"
#include "traces/rows/json_splitter.h"

namespace rackwright::traces {
namespace {

class JsonLines final : public RowSource {
 public:
  JsonLines(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping) : paths_(mapping), text_(std::move(bytes)), lines_(text_) {}

  bool next(RawRow& row) override {
    row.clear();
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (!lines_.too_long() && line.find_first_not_of(" \t") == std::string_view::npos);
    row.line = lines_.line_number();
    if (lines_.too_long()) {
      row.problem = "the line is too long";
    } else {
      fields_.read_row(line, paths_, row);
    }
    return true;
  }
  LineMarks marks() const override { return lines_.marks(); }
  std::string_view problem() const override { return text_.problem(); }
  std::uint64_t bytes_read() const override { return text_.bytes_read(); }

 private:
  FieldPaths paths_;
  TextBuffer text_;
  LineReader lines_;
  JsonFields fields_;
};

class JsonDocument final : public RowSource {
 public:
  JsonDocument(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping, std::string row_key)
      : paths_(mapping), text_(std::move(bytes)), splitter_(text_, std::move(row_key)) {}

  bool next(RawRow& row) override {
    row.clear();
    std::string_view object;
    if (!splitter_.next(object, row.line)) return false;
    fields_.read_row(object, paths_, row);
    return true;
  }
  LineMarks marks() const override { return {text_.had_byte_order_mark(), false, true}; }
  std::string_view problem() const override { return text_.problem().empty() ? splitter_.problem() : text_.problem(); }
  std::uint64_t bytes_read() const override { return text_.bytes_read(); }

 private:
  FieldPaths paths_;
  TextBuffer text_;
  JsonSplitter splitter_;
  JsonFields fields_;
};

}  // namespace

std::unique_ptr<RowSource> json_lines(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping) {
  return std::make_unique<JsonLines>(std::move(bytes), mapping);
}

std::unique_ptr<RowSource> json_document(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping, std::string row_key) {
  return std::make_unique<JsonDocument>(std::move(bytes), mapping, std::move(row_key));
}

}  // namespace rackwright::traces
