#include "traces/rows/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/rows/csv_line.h"
#include "traces/rows/hash_list.h"
#include "traces/text/utf8.h"

namespace rackwright::traces {
namespace {

/// A quoted cell with newlines may span this much; a quote that stays open longer is taken for a stray one.
constexpr std::size_t longest_record = std::size_t{1} << 20;
constexpr int most_unclosed = 8;

}  // namespace

bool next_csv_line(LineReader& lines, std::string_view& line) {
  while (lines.next(line)) {
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (lines.too_long() || !(blank || line.front() == '#')) return true;
  }
  return false;
}

CsvRows::CsvRows(std::unique_ptr<ByteSource> bytes, const ColumnMapping& mapping)
    : paths_(mapping), text_(std::move(bytes)), lines_(text_) {
  if (!mapping.header.empty()) {
    // Without a header line the delimiter shows in the first row, which must stay unread.
    const std::string_view window = text_.window();
    delimiter_ = csv_delimiter(window.substr(0, window.find('\n')));
    resolve(mapping.header);
    return;
  }
  std::string_view line;
  if (!next_csv_line(lines_, line)) return;
  delimiter_ = csv_delimiter(line);
  split_csv(line, delimiter_, cells_, unescaped_);
  resolve({cells_.begin(), cells_.end()});
}

void CsvRows::resolve(const std::vector<std::string>& header) {
  for (const std::string& name : header) wanted_.push_back(paths_.under(name));
}

bool CsvRows::next(RawRow& row) {
  row.clear();
  json_.begin_row();
  std::string_view record;
  if (!next_csv_line(lines_, record)) return false;
  row.line = lines_.line_number();
  if (lines_.too_long()) {
    row.problem = "the line is too long";
    return true;
  }
  if (!join_quoted_lines(record)) {
    row.problem = "a quote is never closed";
    return true;
  }
  split_csv(record, delimiter_, cells_, unescaped_);
  if (!is_utf8(record)) {
    repaired_ = repair_utf8(record);
    split_csv(repaired_, delimiter_, cells_, unescaped_);
    row.repaired_utf8 = true;
  }
  read_cells(record, row);
  return true;
}

/// Extends the record over the newlines inside its quotes. False when a quote is never closed; the record is then
/// one line again, and after a few such the file is read line by line, so that bad quotes cost no time.
bool CsvRows::join_quoted_lines(std::string_view& record) {
  if (record.find('"') == std::string_view::npos) return true;
  OpenQuote quote(delimiter_);
  quote.feed(record);
  while (quote.open()) {
    const std::size_t seen = record.size();
    if (unclosed_ == most_unclosed || seen > longest_record || !lines_.extend(record)) {
      lines_.unextend();
      unclosed_ = std::min(unclosed_ + 1, most_unclosed);
      return false;
    }
    quote.feed(record.substr(seen));
  }
  return true;
}

void CsvRows::read_cells(std::string_view record, RawRow& row) {
  const bool surplus_is_empty =
      cells_.size() <= wanted_.size() ||
      std::all_of(cells_.begin() + static_cast<std::ptrdiff_t>(wanted_.size()), cells_.end(), [](auto cell) { return cell.empty(); });
  if (cells_.size() < wanted_.size() || !surplus_is_empty) {
    row.problem = fmt::format("{} columns are expected, {} are here: '{}'", wanted_.size(), cells_.size(), record.substr(0, 60));
    return;
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (!wanted_[i] || cells_[i].empty()) continue;
    for (const FieldPaths::Target target : wanted_[i]->targets) {
      FieldValue& place = row[target.field];
      if (place.present && place.column <= target.column) continue;
      place = {cells_[i], target.column, true};
      if (target.field != Field::block_hashes) continue;
      row.block_hashes.clear();
      append_block_hashes(cells_[i], row.block_hashes);
    }
    if (!wanted_[i]->children.empty()) json_.read_cell(cells_[i], *wanted_[i], row);
  }
}

}  // namespace rackwright::traces
