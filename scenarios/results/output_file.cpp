#include "scenarios/results/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "models/base/invariant.h"

namespace rackwright::results {
namespace {

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path) {
  throw EnvironmentError(fmt::format("{}: {} ({})", what, std::strerror(errno), path.string()));
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("a file of the run cannot be created", path_);
  buffer_.reserve(drain_at_ + drain_at_ / 4);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::string_view text) {
  buffer_ += text;
  drain();
}

void OutputFile::flush() {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, at, left);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("a file of the run cannot be written", path_);
    }
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  const int descriptor = std::exchange(descriptor_, -1);
  // Some file systems report a full disk only here.
  if (::close(descriptor) != 0) fail("a file of the run cannot be written", path_);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("a file cannot be read", path);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) fail("a file cannot be read", path);
  return text;
}

}  // namespace rackwright::results
