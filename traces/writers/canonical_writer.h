#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/records/request.h"

namespace rackwright {
class Diagnostics;
}

namespace rackwright::traces {

class ByteSink;
enum class Compression;

/// How a canonical trace is written, as told by a file name: ".csv" or ".jsonl", then ".gz", ".zst" or nothing.
struct CanonicalForm {
  enum class Container { csv, json_lines };
  Container container = Container::csv;
  Compression compression;
};

/// Nothing, with an error in `diagnostics`, for any other name.
std::optional<CanonicalForm> canonical_form(const std::string& path, Diagnostics& diagnostics);

/// Writes requests in Rackwright's own form (docs/models/traces.md): reading it gives the same requests back, bit for
/// bit. The file appears under its name when `finish` was called. Throws EnvironmentError when writing fails.
class CanonicalWriter {
 public:
  CanonicalWriter(const std::string& path, CanonicalForm form);
  ~CanonicalWriter();

  /// `source` gives the names of models and classes.
  void write(const Request& request, const RequestSource& source);
  void finish();

 private:
  std::string_view quoted(std::vector<std::string>& known, std::uint32_t id, const RequestSource& source);
  void append_csv(const Request& request, const RequestSource& source);
  void append_json(const Request& request, const RequestSource& source);

  CanonicalForm form_;
  std::unique_ptr<ByteSink> file_;
  std::string pending_;              ///< Rows that wait to be written.
  std::vector<std::string> names_;  ///< By id, as they are written.
};

/// Writes a stream to its end; returns how many requests it had.
std::uint64_t write_canonical(RequestSource& source, const std::string& path, CanonicalForm form);

}  // namespace rackwright::traces
