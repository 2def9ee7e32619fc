#pragma once

#include <string>
#include <string_view>

#include "models/base/diagnostic.h"

namespace rackwright::topologies {

/// Findings about one imported file. After a hundred it only counts, so that a hostile file cannot fill the memory.
class ImportReport {
 public:
  ImportReport(std::string_view file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}
  ~ImportReport();
  ImportReport(const ImportReport&) = delete;
  ImportReport& operator=(const ImportReport&) = delete;

  void error(int line, int column, std::string message, std::string hint = {});
  void warning(int line, int column, std::string message, std::string hint = {});
  void note(int line, int column, std::string message, std::string hint = {});
  bool has_errors() const { return errors_ > 0; }

 private:
  bool may_add();

  std::string file_;
  Diagnostics& diagnostics_;
  int errors_ = 0;
  int reported_ = 0;
};

}  // namespace rackwright::topologies
