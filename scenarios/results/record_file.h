#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace rackwright::results {

/// Appends a record and, before it, its length in seven bits a byte, the lowest first.
void append_record(std::string& bytes, const google::protobuf::MessageLite& record);

/// Reads such records one after the other, also while the file is being written.
class RecordFile {
 public:
  /// Throws EnvironmentError when the file cannot be opened.
  explicit RecordFile(std::filesystem::path path);

  /// The next whole record, valid until the next call, or nothing when the file holds no more at present; ask again
  /// once it grew. Throws DamagedStream when there can be no record here, EnvironmentError when reading fails.
  std::optional<std::string_view> next();
  /// Where the record that `next` gave last begins in the file, after its length.
  std::uint64_t offset() const { return offset_; }
  /// Bytes after the last whole record: above 0, the file broke off inside a record.
  std::size_t bytes_left() const { return bytes_.size() - at_; }

 private:
  bool read_more();

  std::filesystem::path path_;
  std::ifstream file_;
  std::string bytes_;
  std::size_t at_ = 0;
  std::uint64_t bytes_begin_ = 0;  ///< Place of bytes_ in the file.
  std::uint64_t offset_ = 0;
};

}  // namespace rackwright::results
