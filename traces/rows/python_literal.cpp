#include "traces/rows/python_literal.h"

#include <cctype>

namespace rackwright::traces {
namespace {

/// Copies a quoted text with JSON's quotes; returns the place behind it.
std::size_t copy_text(std::string_view from, std::size_t at, std::string& to) {
  const char quote = from[at];
  to += '"';
  for (++at; at < from.size() && from[at] != quote; ++at) {
    if (from[at] == '\\' && at + 1 < from.size()) {
      const char escaped = from[++at];
      if (escaped != '\'') to += '\\';
      to += escaped;
    } else if (from[at] == '"') {
      to += "\\\"";
    } else {
      to += from[at];
    }
  }
  to += '"';
  return at < from.size() ? at + 1 : at;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '+'; }

}  // namespace

std::string json_from_python(std::string_view literal) {
  std::string json;
  json.reserve(literal.size() + 16);
  for (std::size_t at = 0; at < literal.size();) {
    const char c = literal[at];
    if (c == '\'' || c == '"') {
      at = copy_text(literal, at, json);
    } else if (in_word(c)) {
      std::size_t end = at;
      while (end < literal.size() && in_word(literal[end])) ++end;
      const std::string_view word = literal.substr(at, end - at);
      std::size_t next = end;
      while (next < literal.size() && literal[next] == ' ') ++next;
      const bool key = next < literal.size() && literal[next] == ':';
      if (key) (json += '"').append(word) += '"';
      else if (word == "None") json += "null";
      else if (word == "True") json += "true";
      else if (word == "False") json += "false";
      else json += word;
      at = end;
    } else {
      json += c;
      ++at;
    }
  }
  return json;
}

}  // namespace rackwright::traces
