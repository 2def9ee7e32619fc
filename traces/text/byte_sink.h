#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "traces/text/byte_source.h"

namespace rackwright::traces {

/// A file that is being written, compressed or not. It appears under its name only when `finish` was called;
/// until then it lies beside it, and it vanishes with the object when it never is.
/// Every member throws EnvironmentError when the machine fails to write.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};

std::unique_ptr<ByteSink> create_file(const std::string& path, Compression compression);

}  // namespace rackwright::traces
