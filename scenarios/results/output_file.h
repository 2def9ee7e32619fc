#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rackwright::results {

/// A file that is written from front to back through a buffer of its own.
/// Every failure throws EnvironmentError with the system's reason and the path; a file that was not
/// closed may be incomplete.
class OutputFile {
 public:
  /// Creates the file, or empties it.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  /// The buffer, to append to; call `drain` after each row.
  std::string& buffer() { return buffer_; }
  /// Hands the buffer to the system once it is large.
  void drain() {
    if (buffer_.size() >= drain_at_) flush();
  }
  void flush();
  void close();

 private:
  static constexpr std::size_t drain_at_ = 1 << 16;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string buffer_;
};

/// A file with this text.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The whole text of a file. Throws EnvironmentError when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace rackwright::results
