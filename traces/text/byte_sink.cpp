#include "traces/text/byte_sink.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "models/base/invariant.h"

namespace rackwright::traces {
namespace {

constexpr std::size_t piece_bytes = std::size_t{128} * 1024;

class FileSink final : public ByteSink {
 public:
  explicit FileSink(std::string path)
      : path_(std::move(path)), partial_(fmt::format("{}.partial-{}", path_, ::getpid())), file_(std::fopen(partial_.c_str(), "wb"), std::fclose) {
    if (!file_) fail("created");
  }
  ~FileSink() override {
    file_.reset();
    std::error_code ignored;  // The unfinished file is a leftover; its removal is a courtesy.
    if (!finished_) std::filesystem::remove(partial_, ignored);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) override {
    if (bytes.empty()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail("written");
  }
  void finish() override {
    if (std::fflush(file_.get()) != 0) fail("written");
    if (std::fclose(file_.release()) != 0) fail("written");
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) fail("renamed");
    finished_ = true;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw EnvironmentError(fmt::format("A file cannot be {}: {}: {}", what, path_, std::strerror(errno)));
  }

  std::string path_;
  std::string partial_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool finished_ = false;
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> file) : file_(std::move(file)), piece_(piece_bytes) {
    constexpr int gzip_window = 15 + 16;  // zlib manual, deflateInit2.
    constexpr int memory_level = 8;
    invariant(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::string_view bytes) override { pass(bytes, Z_NO_FLUSH); }
  void finish() override {
    pass({}, Z_FINISH);
    file_->finish();
  }

 private:
  void pass(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      deflate(&stream_, flush);
      file_->write({piece_.data(), piece_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> file_;
  z_stream stream_{};
  std::vector<char> piece_;
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> file) : file_(std::move(file)), stream_(ZSTD_createCStream(), ZSTD_freeCStream), piece_(piece_bytes) {
    invariant(stream_ != nullptr, "zstd starts");
  }

  void write(std::string_view bytes) override { pass(bytes, ZSTD_e_continue); }
  void finish() override {
    pass({}, ZSTD_e_end);
    file_->finish();
  }

 private:
  void pass(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_.get(), &out, &in, directive);
      invariant(!ZSTD_isError(left), "zstd compresses");
      file_->write({piece_.data(), out.pos});
      done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  std::unique_ptr<ByteSink> file_;
  std::unique_ptr<ZSTD_CStream, std::size_t (*)(ZSTD_CStream*)> stream_;
  std::vector<char> piece_;
};

}  // namespace

std::unique_ptr<ByteSink> create_file(const std::string& path, Compression compression) {
  auto file = std::make_unique<FileSink>(path);
  switch (compression) {
    case Compression::gzip: return std::make_unique<GzipSink>(std::move(file));
    case Compression::zstd: return std::make_unique<ZstdSink>(std::move(file));
    case Compression::none: break;
  }
  return file;
}

}  // namespace rackwright::traces
