#include "scenarios/results/record_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <array>
#include <utility>

#include "models/base/invariant.h"
#include "scenarios/results/damaged_stream.h"

namespace rackwright::results {
namespace {

// A chunk of requests is about 150 kB and a timeline of 2000 bins and 1000 racks 20 MB.
constexpr std::uint32_t longest_record = 512u << 20;

}  // namespace

void append_record(std::string& bytes, const google::protobuf::MessageLite& record) {
  std::uint8_t length[10];
  const auto size = static_cast<std::uint32_t>(record.ByteSizeLong());
  const std::uint8_t* end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(size, length);
  bytes.append(reinterpret_cast<const char*>(length), static_cast<std::size_t>(end - length));
  record.AppendToString(&bytes);
}

RecordFile::RecordFile(std::filesystem::path path) : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_) throw EnvironmentError(fmt::format("a file of a run cannot be opened ({})", path_.string()));
}

std::optional<std::string_view> RecordFile::next() {
  for (;;) {
    std::uint64_t length = 0;
    std::size_t digits = 0;
    bool whole_length = false;
    while (!whole_length && digits < 5 && at_ + digits < bytes_.size()) {
      const auto byte = static_cast<unsigned char>(bytes_[at_ + digits]);
      length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * digits);
      ++digits;
      whole_length = byte < 0x80;
    }
    if ((digits == 5 && !whole_length) || length > longest_record)
      throw DamagedStream("a record of the stream has no sensible length");
    if (whole_length && bytes_.size() - at_ - digits >= length) {
      const std::string_view record = std::string_view(bytes_).substr(at_ + digits, length);
      offset_ = bytes_begin_ + at_ + digits;
      at_ += digits + length;
      return record;
    }
    if (!read_more()) return std::nullopt;
  }
}

bool RecordFile::read_more() {
  bytes_begin_ += at_;
  bytes_.erase(0, at_);
  at_ = 0;
  std::array<char, 1 << 16> part;
  file_.clear();
  file_.read(part.data(), part.size());
  if (file_.bad()) throw EnvironmentError(fmt::format("a file of a run cannot be read ({})", path_.string()));
  bytes_.append(part.data(), static_cast<std::size_t>(file_.gcount()));
  return file_.gcount() > 0;
}

}  // namespace rackwright::results
