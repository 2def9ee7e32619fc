#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/text/byte_source.h"

namespace rackwright {
class Diagnostics;
}

namespace rackwright::traces {

enum class Container { csv, json_lines, json_document };

std::string_view to_string(Container container);

/// What the first rows of a file show; formats are told apart by this alone.
struct TraceSample {
  Container container = Container::csv;
  std::string row_key;              ///< Of a JSON document, the key of its row lists (see JsonSplitter).
  std::vector<std::string> fields;  ///< CSV columns, or paths into the JSON rows, in order of appearance.
  std::map<std::string, std::string, std::less<>> values;  ///< The first value of each field.
  std::vector<std::string> doubled;  ///< CSV columns of whose name there are several.

  bool has(std::string_view field) const { return values.contains(field); }
  bool has_all(std::initializer_list<std::string_view> fields) const;
  std::string_view value(std::string_view field) const;
};

/// Looks at the first 256 KiB. `header` names the columns of a CSV file that has no header line.
/// Reports what cannot be a trace (empty, UTF-16, Parquet, a spreadsheet, binary) as an error and returns false.
bool take_sample(ByteSource& bytes, const std::string& file, const std::vector<std::string>& header, TraceSample& sample,
                 Diagnostics& diagnostics);

}  // namespace rackwright::traces
