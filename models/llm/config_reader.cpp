#include "models/llm/config_reader.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rackwright::llm {
namespace {

/// No dimension of a model comes near; keeps products within 64 bits.
constexpr std::int64_t largest_integer = 1'000'000'000;

std::string quoted(std::string_view key) { return fmt::format("\"{}\"", key); }

}  // namespace

Location location_at(std::string_view text, std::size_t position, std::string file) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0.
  return {std::move(file), static_cast<int>(line), static_cast<int>(before.size() - line_begin) + 1};
}

ConfigReader::ConfigReader(const nlohmann::json& object, std::string_view text, std::size_t begin, std::string file,
                           std::string path, Diagnostics& diagnostics)
    : object_(&object), text_(text), begin_(begin), file_(std::move(file)), path_(std::move(path)),
      diagnostics_(&diagnostics) {}

std::optional<ConfigReader> ConfigReader::object(std::string_view key) const {
  const auto found = object_->find(key);
  if (found == object_->end() || !found->is_object()) return std::nullopt;
  const std::size_t begin = text_.find(quoted(key), begin_);
  return ConfigReader(*found, text_, begin == std::string_view::npos ? begin_ : begin, file_, path_of(key), *diagnostics_);
}

bool ConfigReader::has(std::string_view key) const {
  const auto found = object_->find(key);
  return found != object_->end() && !found->is_null();
}

const nlohmann::json* ConfigReader::find(std::string_view key) {
  read_.emplace(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> ConfigReader::integer(std::initializer_list<std::string_view> names, std::int64_t min) {
  std::optional<std::int64_t> result;
  for (const std::string_view name : names) {
    const nlohmann::json* value = find(name);
    if (value == nullptr || result) continue;
    if (!value->is_number_integer()) {
      wrong_type(name, "a whole number");
      continue;
    }
    // Compared as double, so that an unsigned value past the signed range is refused, not wrapped.
    const double size = value->get<double>();
    if (size < static_cast<double>(min) || size > static_cast<double>(largest_integer)) {
      error(name, fmt::format("{} is out of range: between {} and {} is expected", value->dump(), min, largest_integer));
      continue;
    }
    result = value->get<std::int64_t>();
  }
  return result;
}

std::int64_t ConfigReader::required(std::initializer_list<std::string_view> names, std::int64_t min) {
  const int errors_before = diagnostics_->error_count();
  if (const auto value = integer(names, min)) return *value;
  if (diagnostics_->error_count() == errors_before) {
    error(*names.begin(), fmt::format("'{}' is missing", *names.begin()),
          names.size() > 1 ? fmt::format("also read as: {}", fmt::join(names.begin() + 1, names.end(), ", ")) : "");
  }
  return 0;
}

std::optional<bool> ConfigReader::boolean(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  wrong_type(key, "true or false");
  return std::nullopt;
}

std::optional<std::string> ConfigReader::string(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  wrong_type(key, "a string");
  return std::nullopt;
}

std::vector<std::string> ConfigReader::strings(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return {};
  std::vector<std::string> result;
  if (value->is_array())
    for (const nlohmann::json& item : *value)
      if (item.is_string()) result.push_back(item.get<std::string>());
  if (!value->is_array() || result.size() != value->size()) wrong_type(key, "a list of strings");
  return result;
}

std::vector<std::int64_t> ConfigReader::integers(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return {};
  std::vector<std::int64_t> result;
  if (value->is_array())
    for (const nlohmann::json& item : *value)
      if (item.is_number_integer()) result.push_back(item.get<std::int64_t>());
  if (!value->is_array() || result.size() != value->size()) wrong_type(key, "a list of whole numbers");
  return result;
}

void ConfigReader::error(std::string_view key, std::string message, std::string hint) {
  diagnostics_->error(locate(key), path_of(key), std::move(message), std::move(hint));
}

void ConfigReader::warning(std::string_view key, std::string message, std::string hint) {
  diagnostics_->warning(locate(key), path_of(key), std::move(message), std::move(hint));
}

void ConfigReader::ignore(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) read_.emplace(key);
}

std::vector<std::string> ConfigReader::unread() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_->items())
    if (!read_.contains(key)) keys.push_back(key);
  return keys;
}

Location ConfigReader::locate(std::string_view key) const {
  if (!object_->contains(key)) return {file_, 0, 0};
  return location_at(text_, text_.find(quoted(key), begin_), file_);
}

std::string ConfigReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void ConfigReader::wrong_type(std::string_view key, std::string_view expected) {
  error(key, fmt::format("{} is expected, not {}", expected, (*object_)[std::string(key)].dump(-1, ' ', true).substr(0, 60)));
}

}  // namespace rackwright::llm
