#include "traces/rows/json_splitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rackwright::traces {
namespace {

/// One row may hold a prompt of some megabytes; more is taken for a missing bracket.
constexpr std::size_t longest_row = std::size_t{64} << 20;
constexpr std::size_t deepest = 64;
constexpr std::size_t longest_key = 256;

}  // namespace

bool JsonSplitter::fail(std::string why) {
  if (problem_.empty()) problem_ = fmt::format("line {}: {}", line_, why);
  return false;
}

/// The next significant character, which stays at the front of the window.
bool JsonSplitter::peek(char& c) {
  for (;;) {
    const std::string_view window = text_.window();
    const std::size_t at = window.find_first_not_of(" \t\r\n,:");
    if (at != std::string_view::npos) {
      skip(at);
      c = window[at];
      return true;
    }
    skip(window.size());
    if (!text_.grow()) return false;
  }
}

void JsonSplitter::skip(std::size_t count) {
  const std::string_view skipped = text_.window().substr(0, count);
  line_ += static_cast<std::uint64_t>(std::ranges::count(skipped, '\n'));
  text_.consume(count);
}

/// Skips the string at the front. Its start is kept in `content`, escapes as they stand.
bool JsonSplitter::skip_string(std::string* content) {
  content->clear();
  bool escaped = false;
  for (skip(1);;) {
    const std::string_view window = text_.window();
    for (std::size_t i = 0; i < window.size(); ++i) {
      if (!escaped && window[i] == '"') {
        skip(i + 1);
        return true;
      }
      escaped = !escaped && window[i] == '\\';
      if (content->size() < longest_key) *content += window[i];
    }
    skip(window.size());
    if (!text_.grow()) return fail("a string is never closed");
  }
}

/// The length of the object at the front of the window, which is grown to hold it.
bool JsonSplitter::measure_object(std::size_t& length) {
  std::size_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (std::size_t i = 0;;) {
    for (const std::string_view window = text_.window(); i < window.size(); ++i) {
      const char c = window[i];
      if (in_string) {
        if (!escaped && c == '"') in_string = false;
        escaped = !escaped && c == '\\';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        length = i + 1;
        return true;
      }
    }
    if (i > longest_row) return fail("an object is longer than 64 MiB");
    if (!text_.grow()) return fail("the file ends inside an object");
  }
}

bool JsonSplitter::next(std::string_view& row, std::uint64_t& line) {
  skip(std::exchange(row_length_, 0));
  bool after_string = false;  // Whether `last_string_` stands right before, so that it may be a key.
  char c = 0;
  while (problem_.empty() && peek(c)) {
    const bool rows = open_.empty() ? row_key_.empty() : open_.back().rows;
    if (c == '{' && rows) {
      if (!measure_object(row_length_)) return false;
      row = text_.window().substr(0, row_length_);
      line = line_;
      return true;
    }
    if (c == '"') {
      if (!skip_string(&last_string_)) return false;
      after_string = true;
      continue;
    }
    if (c == '{' || c == '[') {
      if (open_.size() == deepest) return fail("brackets are nested too deeply");
      const bool keyed = after_string && !open_.empty() && !open_.back().list && last_string_ == row_key_;
      open_.push_back({c == '[', c == '[' && (row_key_.empty() ? open_.empty() : keyed)});
    } else if (c == '}' || c == ']') {
      if (open_.empty() || open_.back().list != (c == ']')) return fail(fmt::format("'{}' closes nothing", c));
      open_.pop_back();
    }
    skip(1);
    after_string = false;
  }
  if (problem_.empty() && !open_.empty()) fail("the file ends inside a list or object");
  return false;
}

}  // namespace rackwright::traces
