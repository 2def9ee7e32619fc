#pragma once

#include <string>
#include <vector>

namespace rackwright::report {

enum class TextStyle { plain, coloured };
enum class Tone { normal, strong, quiet, good, bad };

/// A cell of a table on a terminal.
struct TextCell {
  TextCell(std::string t, Tone how = Tone::normal) : text(std::move(t)), tone(how) {}
  TextCell(const char* t) : text(t) {}
  std::string text;
  Tone tone = Tone::normal;
};

/// Text with ANSI colours around it, or as it is.
std::string toned(const std::string& text, Tone tone, TextStyle style);

/// Rows in columns two spaces apart: the first column to the left, the others to the right. No lines are
/// drawn, nothing is left at the end of a line. Widths are counted in characters.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) : head_(std::move(head)) {}
  void add(std::vector<TextCell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string text(TextStyle style) const;

 private:
  std::vector<std::string> head_;
  std::vector<std::vector<TextCell>> rows_;
};

/// Characters of a UTF-8 text.
std::size_t width_of(const std::string& text);

}  // namespace rackwright::report
