#include "traces/text/line_reader.h"

#include <cstring>

namespace rackwright::traces {

/// Finds the end of the line that starts `from` bytes into the window: `end` without and `taken` with its newline.
bool LineReader::find_end(std::size_t from, std::size_t& end, std::size_t& taken) {
  std::size_t searched = from;
  for (;;) {
    const std::string_view window = text_.window();
    const void* found = searched < window.size() ? std::memchr(window.data() + searched, '\n', window.size() - searched) : nullptr;
    if (found) {
      end = static_cast<std::size_t>(static_cast<const char*>(found) - window.data());
      taken = end + 1;
      if (end > from && window[end - 1] == '\r') {
        crlf_ = true;
        --end;
      }
      return true;
    }
    searched = window.size();
    if (searched - from > longest_line) {
      if (from > 0) return false;
      too_long_ = true;
      text_.consume(searched);
      searched = 0;
    }
    if (!text_.grow()) break;
  }
  end = taken = text_.window().size();
  if (end == from && !too_long_) return false;
  final_newline_ = false;
  if (end > from && text_.window()[end - 1] == '\r') --end;
  return true;
}

bool LineReader::next(std::string_view& line) {
  text_.consume(taken_);
  line_number_ += lines_taken_;
  taken_ = 0;
  lines_taken_ = 0;
  too_long_ = false;
  std::size_t end = 0;
  if (!find_end(0, end, taken_)) return false;
  lines_taken_ = 1;
  first_taken_ = taken_;
  line = too_long_ ? std::string_view{} : text_.window().substr(0, end);
  return true;
}

bool LineReader::extend(std::string_view& lines) {
  std::size_t end = 0;
  std::size_t taken = 0;
  if (!find_end(taken_, end, taken)) return false;
  taken_ = taken;
  ++lines_taken_;
  lines = text_.window().substr(0, end);
  return true;
}

}  // namespace rackwright::traces
