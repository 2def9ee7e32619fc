#pragma once

#include <string>
#include <string_view>

#include "scenarios/codec/node.h"
#include "scenarios/codec/yaml_reader.h"

namespace rackwright::scenarios {

/// Where a scalar stands decides what must be quoted.
enum class Surroundings { block, flow, json };

/// A scalar as text that reads back to the same value: plain where that is safe, else in double quotes.
/// In JSON only numbers, true and false stay bare, and only where the node's style is plain.
std::string write_scalar(const Node& scalar, Surroundings surroundings);

/// A text whose plain form other programs would take for a number, a truth value or nothing.
bool looks_typed(std::string_view text);

/// Any node on one line: {a: 1, b: [x, y]}.
std::string write_flow(const Node& node, Notation notation);

/// A value as it stands behind "key:" or "-", with the leading blank or line break: " 8", " {a: 1}",
/// or block lines indented by `indent` spaces. Flow nodes stay on one line. No final line break.
std::string write_block_value(const Node& node, std::size_t indent, std::string_view line_break);

/// The entries or items of a block collection, the first without its indentation. No final line break.
std::string write_block(const Node& node, std::size_t indent, std::string_view line_break);

/// A whole document with its final line break. JSON is indented by two spaces.
std::string write_document(const Node& root, Notation notation);

}  // namespace rackwright::scenarios
