#pragma once

// How summary.json is written and read: every field is visited in the order of the file. `field(key, value)` writes or reads a
// number, a text, an optional or a list; `part(key, value, visit)` goes one level down.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace rackwright::results {

using Json = nlohmann::ordered_json;

class JsonWriter {
 public:
  explicit JsonWriter(Json& json) : json_(json) {}

  template <class T>
  void field(const char* key, const T& value) { json_[key] = value; }
  template <class T>
  void field(const char* key, const std::optional<T>& value) {
    if (value) json_[key] = *value;
  }
  template <class T, class Visit>
  void part(const char* key, const std::optional<T>& value, Visit visit) {
    if (value) part(key, *value, visit);
  }
  template <class T, class Visit>
  void part(const char* key, const T& value, Visit visit) {
    JsonWriter inner(json_[key] = Json::object());
    visit(inner, value);
  }
  template <class T, class Visit>
  void by_name(const char* key, const std::vector<T>& values, Visit visit) {
    Json& parts = json_[key] = Json::object();
    for (const T& value : values) {
      JsonWriter inner(parts[value.name] = Json::object());
      visit(inner, value);
    }
  }

 private:
  Json& json_;
};

/// A run without tiers, or without pools that communicate, says nothing of them.
template <class Part>
inline bool has_any(const JsonWriter&, const std::vector<Part>& parts) { return !parts.empty(); }

class JsonReader {
 public:
  explicit JsonReader(const Json& json) : json_(json) {}

  template <class T>
  void field(const char* key, T& value) const {
    if (const Json* found = find(key)) get(*found, value);
  }
  template <class T>
  void field(const char* key, std::optional<T>& value) const {
    T read{};
    const Json* found = find(key);
    if (found && get(*found, read)) value = read;
  }
  template <class T, class Visit>
  void part(const char* key, std::optional<T>& value, Visit visit) const {
    const Json* found = find(key);
    if (!found || !found->is_object()) return;
    JsonReader inner(*found);
    if (!value) value.emplace();  // Two keys may fill one part.
    visit(inner, *value);
  }
  template <class T, class Visit>
  void part(const char* key, T& value, Visit visit) const {
    const Json* found = find(key);
    if (!found || !found->is_object()) return;
    JsonReader inner(*found);
    visit(inner, value);
  }
  template <class T, class Visit>
  void by_name(const char* key, std::vector<T>& values, Visit visit) const {
    const Json* found = find(key);
    if (!found || !found->is_object()) return;
    for (const auto& [name, part] : found->items()) {
      T& value = values.emplace_back();
      value.name = name;
      JsonReader inner(part);
      visit(inner, value);
    }
  }

 private:
  const Json* find(const char* key) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  /// False when the value is of another type: the reader of an older or newer file goes on without it.
  template <class T>
  static bool get(const Json& json, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return false;
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!json.is_number()) return false;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) return false;
    } else {
      const auto is_text = [](const Json& item) { return item.is_string(); };
      if (!json.is_array() || !std::all_of(json.begin(), json.end(), is_text)) return false;
    }
    value = json.get<T>();
    return true;
  }

  const Json& json_;
};

template <class Part>
inline bool has_any(const JsonReader&, const std::vector<Part>&) { return true; }

}  // namespace rackwright::results
