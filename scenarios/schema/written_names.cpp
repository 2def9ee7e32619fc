#include "scenarios/schema/written_names.h"

#include <google/protobuf/descriptor.h>

#include <cctype>

#include "scenarios/schema/options.h"

namespace rackwright::scenarios {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

/// Splits "KvTransferMode" before every upper-case letter that starts a word.
std::string split_words(std::string_view camel, char separator) {
  std::string words;
  for (std::size_t i = 0; i < camel.size(); ++i) {
    if (i > 0 && std::isupper(static_cast<unsigned char>(camel[i]))) words += separator;
    words += camel[i];
  }
  return words;
}

/// The prefix that the values of an enum carry by convention: "SCHEDULER_POLICY_".
std::string value_prefix(const pb::EnumDescriptor& type) {
  std::string prefix = split_words(std::string(type.name()), '_') + "_";
  for (char& c : prefix) c = upper(c);
  return prefix;
}

}  // namespace

std::string written_name(const pb::EnumValueDescriptor& value) {
  if (const std::string& written = choice_of(value).written(); !written.empty()) return written;
  std::string name(value.name());
  if (const std::string prefix = value_prefix(*value.type()); name.starts_with(prefix)) name.erase(0, prefix.size());
  if (name.ends_with("UNSPECIFIED")) return {};
  for (char& c : name) c = c == '_' ? '-' : lower(c);
  return name;
}

std::vector<std::string> written_names(const pb::EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (std::string name = written_name(*type.value(i)); !name.empty()) names.push_back(std::move(name));
  }
  return names;
}

const pb::EnumValueDescriptor* find_written(const pb::EnumDescriptor& type, std::string_view name) {
  if (name.empty()) return nullptr;
  for (int i = 0; i < type.value_count(); ++i) {
    if (written_name(*type.value(i)) == name) return type.value(i);
  }
  return nullptr;
}

std::string plain_name(const pb::EnumDescriptor& type) {
  std::string name = split_words(std::string(type.name()), ' ');
  for (char& c : name) c = lower(c);
  return name;
}

}  // namespace rackwright::scenarios
