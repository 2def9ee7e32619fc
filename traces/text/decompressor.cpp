#include "traces/text/decompressor.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <utility>
#include <vector>

#include "models/base/invariant.h"

namespace rackwright::traces {
namespace {

constexpr std::size_t input_piece = std::size_t{128} * 1024;

/// The compressed bytes that wait to be used.
class Inflow {
 public:
  explicit Inflow(std::unique_ptr<ByteSource> raw) : raw_(std::move(raw)), piece_(input_piece) {}

  /// False at the end of the compressed bytes.
  bool fill() {
    if (used_ < size_) return true;
    offset_ += size_;
    size_ = raw_->read(piece_);
    used_ = 0;
    return size_ > 0;
  }
  char* data() { return piece_.data() + used_; }
  std::size_t left() const { return size_ - used_; }
  void use(std::size_t count) { used_ += count; }
  std::uint64_t offset() const { return offset_ + used_; }
  std::string_view problem() const { return raw_->problem(); }

 private:
  std::unique_ptr<ByteSource> raw_;
  std::vector<char> piece_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
};

class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(std::unique_ptr<ByteSource> raw) : inflow_(std::move(raw)) {
    constexpr int gzip_window = 15 + 16;  // zlib manual, inflateInit2: 16 more for the gzip wrapper.
    invariant(inflateInit2(&stream_, gzip_window) == Z_OK, "zlib starts");
  }
  ~GzipBytes() override { inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> room) override {
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    while (stream_.avail_out == room.size() && problem_.empty()) {
      if (!inflow_.fill()) {
        if (inside_member_) problem_ = fmt::format("the gzip stream breaks off after {} bytes", inflow_.offset());
        break;
      }
      if (!inside_member_ && members_ > 0 && *inflow_.data() == '\0') break;  // Padding, as gzip itself allows.
      inside_member_ = true;
      stream_.next_in = reinterpret_cast<Bytef*>(inflow_.data());
      stream_.avail_in = static_cast<uInt>(inflow_.left());
      const int answer = inflate(&stream_, Z_NO_FLUSH);
      inflow_.use(inflow_.left() - stream_.avail_in);
      if (answer == Z_STREAM_END) {
        inside_member_ = false;
        ++members_;
        inflateReset(&stream_);
      } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
        problem_ = fmt::format("the gzip stream is damaged near byte {}", inflow_.offset());
      }
    }
    return room.size() - stream_.avail_out;
  }
  std::string_view problem() const override { return problem_.empty() ? inflow_.problem() : problem_; }

 private:
  Inflow inflow_;
  z_stream stream_{};
  bool inside_member_ = false;
  std::uint64_t members_ = 0;
  std::string problem_;
};

class ZstdBytes final : public ByteSource {
 public:
  explicit ZstdBytes(std::unique_ptr<ByteSource> raw) : inflow_(std::move(raw)), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    invariant(stream_ != nullptr, "zstd starts");
  }

  std::size_t read(std::span<char> room) override {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    while (out.pos == 0 && problem_.empty()) {
      // A full output may have left decoded bytes inside the decoder, so it is asked even without new input.
      const bool more = inflow_.fill();
      ZSTD_inBuffer in{inflow_.data(), inflow_.left(), 0};
      const std::size_t answer = ZSTD_decompressStream(stream_.get(), &out, &in);
      inflow_.use(in.pos);
      if (ZSTD_isError(answer)) {
        problem_ = fmt::format("the zstd stream is damaged near byte {} ({})", inflow_.offset(), ZSTD_getErrorName(answer));
      } else if (!more && out.pos == 0) {
        if (inside_frame_) problem_ = fmt::format("the zstd stream breaks off after {} bytes", inflow_.offset());
        break;
      } else {
        inside_frame_ = answer != 0;
      }
    }
    return out.pos;
  }
  std::string_view problem() const override { return problem_.empty() ? inflow_.problem() : problem_; }

 private:
  Inflow inflow_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  bool inside_frame_ = false;
  std::string problem_;
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> raw) { return std::make_unique<GzipBytes>(std::move(raw)); }

std::unique_ptr<ByteSource> unzstd(std::unique_ptr<ByteSource> raw) { return std::make_unique<ZstdBytes>(std::move(raw)); }

}  // namespace rackwright::traces
