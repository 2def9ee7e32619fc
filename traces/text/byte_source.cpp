#include "traces/text/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "models/base/invariant.h"
#include "traces/text/decompressor.h"

namespace rackwright::traces {
namespace {

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::string& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw EnvironmentError(fmt::format("A file cannot be opened: {}: {}", path, std::strerror(errno)));
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  ~FileBytes() override { ::close(descriptor_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::size_t read(std::span<char> room) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, room.data(), room.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw EnvironmentError(fmt::format("A file cannot be read: {}: {}", path_, std::strerror(errno)));
    }
  }

 private:
  std::string path_;
  int descriptor_;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : left_(bytes) {}

  std::size_t read(std::span<char> room) override {
    const std::size_t count = std::min(room.size(), left_.size());
    std::copy_n(left_.begin(), count, room.begin());
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

/// Gives back the bytes that were looked at, then the rest.
class Rejoined final : public ByteSource {
 public:
  Rejoined(std::string head, std::unique_ptr<ByteSource> tail) : head_(std::move(head)), tail_(std::move(tail)) {}

  std::size_t read(std::span<char> room) override {
    if (given_ == head_.size()) return tail_->read(room);
    const std::size_t count = std::min(room.size(), head_.size() - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), count, room.begin());
    given_ += count;
    return count;
  }
  std::string_view problem() const override { return tail_->problem(); }

 private:
  std::string head_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> tail_;
};

}  // namespace

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::none: return "none";
    case Compression::gzip: return "gzip";
    case Compression::zstd: return "zstd";
  }
  return "none";
}

std::unique_ptr<ByteSource> open_file(const std::string& path) { return std::make_unique<FileBytes>(path); }

std::unique_ptr<ByteSource> open_memory(std::string_view bytes) { return std::make_unique<MemoryBytes>(bytes); }

DecompressedBytes decompress(std::unique_ptr<ByteSource> raw) {
  // RFC 1952 section 2.3.1 and RFC 8878 section 3.1.1.
  constexpr std::string_view gzip_magic = "\x1f\x8b";
  constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";
  std::string head;
  while (head.size() < zstd_magic.size()) {
    std::array<char, 4> room{};
    const std::size_t got = raw->read(std::span(room).first(zstd_magic.size() - head.size()));
    if (got == 0) break;
    head.append(room.data(), got);
  }
  const std::string_view seen = head;
  const bool gzip = seen.starts_with(gzip_magic);
  const bool zstd = seen.starts_with(zstd_magic);
  auto whole = std::make_unique<Rejoined>(std::move(head), std::move(raw));
  if (gzip) return {gunzip(std::move(whole)), Compression::gzip};
  if (zstd) return {unzstd(std::move(whole)), Compression::zstd};
  return {std::move(whole), Compression::none};
}

}  // namespace rackwright::traces
