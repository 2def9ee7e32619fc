#pragma once

#include <zlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace rackwright::test {

/// The whole text of a file, gzipped or not.
inline std::string gzip_text(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path.string());
  std::string text;
  char buffer[1 << 16];
  for (int got = gzread(file, buffer, sizeof buffer); got > 0; got = gzread(file, buffer, sizeof buffer))
    text.append(buffer, static_cast<std::size_t>(got));
  gzclose(file);
  return text;
}

}  // namespace rackwright::test
