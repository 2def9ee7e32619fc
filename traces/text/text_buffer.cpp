#include "traces/text/text_buffer.h"

#include <cstring>
#include <utility>

namespace rackwright::traces {
namespace {

// Fits the second-level cache of current CPUs; larger pieces measured no faster.
constexpr std::size_t first_capacity = std::size_t{64} * 1024;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

TextBuffer::TextBuffer(std::unique_ptr<ByteSource> bytes)
    : bytes_(std::move(bytes)), room_(std::make_unique_for_overwrite<char[]>(first_capacity + padding)), capacity_(first_capacity) {
  while (window().size() < byte_order_mark.size() && grow()) {
  }
  if (window().starts_with(byte_order_mark)) {
    had_byte_order_mark_ = true;
    consume(byte_order_mark.size());
  }
}

bool TextBuffer::grow() {
  if (begin_ > 0 && capacity_ - end_ < capacity_ / 2) {
    std::memmove(room_.get(), room_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity_ + padding);
    std::memcpy(larger.get(), room_.get(), end_);
    room_ = std::move(larger);
    capacity_ *= 2;
  }
  const std::size_t got = bytes_->read({room_.get() + end_, capacity_ - end_});
  end_ += got;
  bytes_read_ += got;
  return got > 0;
}

}  // namespace rackwright::traces
