#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rackwright::traces {

/// Names by number: 0 is the empty name, the others count up in order of first use.
class StringTable {
 public:
  StringTable() { names_.emplace_back(); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  std::uint32_t id(std::string_view name) {
    if (name == names_[last_]) return last_;  // Rows repeat their neighbours' names.
    if (name.empty()) return 0;
    const auto known = ids_.find(name);
    if (known != ids_.end()) return last_ = known->second;
    const auto added = static_cast<std::uint32_t>(names_.size());
    ids_.emplace(names_.emplace_back(name), added);
    return last_ = added;
  }
  bool knows(std::string_view name) const { return name.empty() || ids_.contains(name); }
  /// Empty for an id that was never given.
  std::string_view name(std::uint32_t id) const { return id < names_.size() ? std::string_view(names_[id]) : std::string_view{}; }
  std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  ///< A deque, so that the keys below stay where they are.
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::uint32_t last_ = 0;
};

}  // namespace rackwright::traces
