#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "traces/text/byte_source.h"

namespace rackwright::traces {

/// A window over a byte stream: it grows at its end and is consumed at its front, so memory is
/// bounded by what one record needs. Views end with the next call of `grow`.
class TextBuffer {
 public:
  /// Bytes behind the window that may be read (not relied on): simdjson wants 64 of them.
  static constexpr std::size_t padding = 64;

  /// Skips a UTF-8 byte order mark.
  explicit TextBuffer(std::unique_ptr<ByteSource> bytes);

  std::string_view window() const { return {room_.get() + begin_, end_ - begin_}; }
  /// Adds bytes behind the window; false at the end of the stream.
  bool grow();
  void consume(std::size_t count) { begin_ += count; }

  bool had_byte_order_mark() const { return had_byte_order_mark_; }
  /// Bytes read from the stream so far.
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::string_view problem() const { return bytes_->problem(); }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::unique_ptr<char[]> room_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t bytes_read_ = 0;
  bool had_byte_order_mark_ = false;
};

}  // namespace rackwright::traces
