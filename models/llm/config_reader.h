#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/base/diagnostic.h"

namespace rackwright::llm {

/// Reads named values of one JSON object, remembers which were read, and reports with the line on
/// which a key stands. Included by the .cpp files of this folder only.
class ConfigReader {
 public:
  /// `object` is the value in `text` that follows position `begin`; both outlive the reader.
  ConfigReader(const nlohmann::json& object, std::string_view text, std::size_t begin, std::string file,
               std::string path, Diagnostics& diagnostics);

  /// The reader of a nested object, or nothing when there is none.
  std::optional<ConfigReader> object(std::string_view key) const;

  /// True when the key is there and not null.
  bool has(std::string_view key) const;

  /// The first of these names that is there and not null, within [min, 1e9]; a wrong type or range is an error.
  std::optional<std::int64_t> integer(std::initializer_list<std::string_view> names, std::int64_t min = 0);
  /// The same, and an error when none is there. Returns 0 after an error.
  std::int64_t required(std::initializer_list<std::string_view> names, std::int64_t min = 1);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::string> string(std::string_view key);
  /// A list of strings; empty when absent or null.
  std::vector<std::string> strings(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key);

  void error(std::string_view key, std::string message, std::string hint = {});
  void warning(std::string_view key, std::string message, std::string hint = {});

  /// Marks keys as looked at.
  void ignore(std::initializer_list<std::string_view> keys);
  /// Keys never asked for, in the order of the file's key names.
  std::vector<std::string> unread() const;

 private:
  const nlohmann::json* find(std::string_view key);
  Location locate(std::string_view key) const;
  std::string path_of(std::string_view key) const;
  void wrong_type(std::string_view key, std::string_view expected);

  const nlohmann::json* object_;
  std::string_view text_;
  std::size_t begin_;
  std::string file_;
  std::string path_;
  Diagnostics* diagnostics_;
  std::set<std::string, std::less<>> read_;
};

/// Line and column of a position in a text, both from 1.
Location location_at(std::string_view text, std::size_t position, std::string file);

}  // namespace rackwright::llm
