#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rackwright::traces {

enum class Compression { none, gzip, zstd };

std::string_view to_string(Compression compression);

/// Bytes in order, pulled in pieces.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `room` and returns how many bytes; 0 at the end.
  /// Throws EnvironmentError when the machine fails to read.
  virtual std::size_t read(std::span<char> room) = 0;
  /// What is wrong with the input itself, such as a damaged gzip stream; empty while nothing is.
  /// Bytes end where the damage begins.
  virtual std::string_view problem() const { return {}; }
};

/// The bytes of a file as they lie. Throws EnvironmentError when it cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::string& path);

/// Bytes that the caller keeps alive.
std::unique_ptr<ByteSource> open_memory(std::string_view bytes);

struct DecompressedBytes {
  std::unique_ptr<ByteSource> bytes;
  Compression compression = Compression::none;
};

/// Looks at the first bytes, not at the name, and undoes gzip (all members) or zstd (all frames).
DecompressedBytes decompress(std::unique_ptr<ByteSource> raw);

}  // namespace rackwright::traces
