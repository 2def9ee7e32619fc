#include "scenarios/codec/node_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "scenarios/schema/utf8.h"

namespace rackwright::scenarios {
namespace {

bool must_escape(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 || code == 0xFEFF ||
         code == 0xFFFE || code == 0xFFFF;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::size_t size = character.size == 0 ? 1 : character.size;
    if (character.code == '"' || character.code == '\\') {
      out += '\\';
      out += text.front();
    } else if (character.code == '\n') {
      out += "\\n";
    } else if (character.code == '\t') {
      out += "\\t";
    } else if (character.size > 0 && must_escape(character.code)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out + '"';
}

bool is_json_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.front() < '0' || digits.front() > '9' || digits.back() == '.') return false;
  if (digits.size() > 1 && digits.front() == '0' && digits[1] >= '0' && digits[1] <= '9') return false;
  if (const auto dot = digits.find('.'); dot != std::string_view::npos && (digits[dot + 1] < '0' || digits[dot + 1] > '9')) {
    return false;
  }
  double number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && stop == text.data() + text.size() && std::isfinite(number);
}

/// Whether YAML reads the text back as it is without quotes. Cautious: what is doubtful is quoted.
bool plain_is_safe(std::string_view text, bool flow) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL" || text == "<<") return false;
  constexpr std::string_view indicators = "?:,[]{}#&*!|>'\"%@`=";
  if (indicators.find(text.front()) != std::string_view::npos) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (text == "-" || text.starts_with("- ") || text.starts_with("---") || text.starts_with("...")) return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) return false;
  if (flow && text.find_first_of(",[]{}?:") != std::string_view::npos) return false;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (character.size == 0 || must_escape(character.code)) return false;
    text.remove_prefix(character.size);
  }
  return true;
}

std::string write_key(const Node& key, Surroundings surroundings) {
  return write_scalar(scalar_node(key.value, surroundings == Surroundings::json ? Node::Style::double_quoted : key.style),
                      surroundings);
}

std::string indented_json(const Node& node, std::size_t indent) {
  const std::string inner(indent + 2, ' ');
  std::string text;
  if (node.is_map() && !node.entries.empty()) {
    for (const NodeEntry& entry : node.entries) {
      text += fmt::format("{}\n{}{}: {}", text.empty() ? "" : ",", inner, write_key(entry.key, Surroundings::json),
                          indented_json(entry.value, indent + 2));
    }
    return fmt::format("{{{}\n{}}}", text, std::string(indent, ' '));
  }
  if (node.is_list() && !node.items.empty()) {
    for (const Node& item : node.items) {
      text += fmt::format("{}\n{}{}", text.empty() ? "" : ",", inner, indented_json(item, indent + 2));
    }
    return fmt::format("[{}\n{}]", text, std::string(indent, ' '));
  }
  return write_flow(node, Notation::json);
}

}  // namespace

bool looks_typed(std::string_view text) {
  if (text == "true" || text == "false" || text == "null" || text == "~" || text.empty()) return true;
  for (const std::string_view word : {"yes", "no", "on", "off", "True", "False", "Yes", "No", "On", "Off"}) {
    if (text == word) return true;
  }
  double number = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failure != std::errc::invalid_argument && stop == digits.data() + digits.size();
}

std::string write_scalar(const Node& scalar, Surroundings surroundings) {
  const bool plain = scalar.style == Node::Style::plain;
  const std::string& text = scalar.value;
  if (surroundings == Surroundings::json) {
    if (scalar.is_null() || scalar.is_missing()) return "null";
    const bool bare = plain && (text == "true" || text == "false" || is_json_number(text));
    return bare ? text : quoted(text);
  }
  if (scalar.is_null() || scalar.is_missing()) return "null";
  return plain && plain_is_safe(text, surroundings == Surroundings::flow) ? text : quoted(text);
}

std::string write_flow(const Node& node, Notation notation) {
  const Surroundings surroundings = notation == Notation::json ? Surroundings::json : Surroundings::flow;
  if (node.is_scalar()) return write_scalar(node, surroundings);
  std::string text;
  for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + write_flow(item, notation);
  for (const NodeEntry& entry : node.entries) {
    text += text.empty() ? "" : ", ";
    text += write_key(entry.key, surroundings) + ": " + write_flow(entry.value, notation);
  }
  return node.is_list() ? "[" + text + "]" : "{" + text + "}";
}

std::string write_block_value(const Node& node, std::size_t indent, std::string_view line_break) {
  if (node.is_scalar()) return " " + write_scalar(node, Surroundings::block);
  const bool empty = node.items.empty() && node.entries.empty();
  if (empty || node.style == Node::Style::flow) return " " + write_flow(node, Notation::yaml);
  return std::string(line_break) + std::string(indent, ' ') + write_block(node, indent, line_break);
}

std::string write_block(const Node& node, std::size_t indent, std::string_view line_break) {
  std::string text;
  const std::string next_line = std::string(line_break) + std::string(indent, ' ');
  for (const Node& item : node.items) {
    if (!text.empty()) text += next_line;
    const bool nested = !item.is_scalar() && item.style != Node::Style::flow && item.items.size() + item.entries.size() > 0;
    text += nested ? "- " + write_block(item, indent + 2, line_break) : "-" + write_block_value(item, indent + 2, line_break);
  }
  for (const NodeEntry& entry : node.entries) {
    if (!text.empty()) text += next_line;
    text += write_key(entry.key, Surroundings::block) + ":" + write_block_value(entry.value, indent + 2, line_break);
  }
  return text;
}

std::string write_document(const Node& root, Notation notation) {
  if (notation == Notation::json) return indented_json(root, 0) + "\n";
  if (root.style == Node::Style::flow || root.is_scalar()) return write_flow(root, notation) + "\n";
  return write_block(root, 0, "\n") + "\n";
}

}  // namespace rackwright::scenarios
