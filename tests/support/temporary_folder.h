#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace rackwright::test {

/// A folder of one test case, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rackwright-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::filesystem::filesystem_error("no temporary folder", name, std::error_code(errno, std::generic_category()));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rackwright::test
