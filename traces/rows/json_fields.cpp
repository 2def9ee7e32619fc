#include "traces/rows/json_fields.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <deque>
#include <string>

#include "traces/rows/hash_list.h"
#include "traces/rows/python_literal.h"
#include "traces/text/utf8.h"

namespace rackwright::traces {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

/// The text of a number or bool, written into the row; the shortest that reads back to the same double.
std::string_view scalar_text(const element& value, std::array<char, 32>& room) {
  char* const begin = room.data();
  char* const end = begin + room.size();
  std::string_view text;
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  double real = 0;
  bool truth = false;
  if (value.get(text) == simdjson::SUCCESS) return text;
  if (value.is_int64() && value.get(integer) == simdjson::SUCCESS) return {begin, std::to_chars(begin, end, integer).ptr};
  if (value.is_uint64() && value.get(natural) == simdjson::SUCCESS) return {begin, std::to_chars(begin, end, natural).ptr};
  if (value.get(real) == simdjson::SUCCESS) return {begin, std::to_chars(begin, end, real).ptr};
  if (value.get(truth) == simdjson::SUCCESS) return truth ? "true" : "false";
  return {};
}

/// Hashes from a list, from a list of objects with an id, from an object of numbers, or from an object that
/// holds one list per block size ({"512": [...]}, of which the first counts).
void read_hashes(const element& value, RawRow& row) {
  std::array<char, 32> room;
  simdjson::dom::array list;
  simdjson::dom::object object;
  if (value.get(list) == simdjson::SUCCESS) {
    for (const element item : list) {
      std::int64_t id = 0;
      if (item.type() == element_type::INT64 && item.get(id) == simdjson::SUCCESS) {
        row.block_hashes.push_back(static_cast<std::uint64_t>(id));
      } else if (item.is_object()) {
        for (const std::string_view key : {"id", "hash", "hash_id"}) {
          element named;
          if (item.at_key(key).get(named) != simdjson::SUCCESS) continue;
          row.block_hashes.push_back(block_hash(scalar_text(named, room)));
          break;
        }
      } else {
        row.block_hashes.push_back(block_hash(scalar_text(item, room)));
      }
    }
  } else if (value.get(object) == simdjson::SUCCESS) {
    for (const auto& [key, item] : object) {
      if (item.is_array()) {
        std::from_chars(key.data(), key.data() + key.size(), row.block_tokens);
        read_hashes(item, row);
        return;
      }
      row.block_hashes.push_back(block_hash(scalar_text(item, room)));
    }
  } else {
    append_block_hashes(scalar_text(value, room), row.block_hashes);
  }
}

}  // namespace

struct JsonFields::Parsers {
  simdjson::dom::parser row;
  std::deque<simdjson::dom::parser> cells;  ///< One per cell of the current row, since each owns its strings.
  std::size_t cells_used = 0;
  std::string repaired;

  void read(const element& value, const FieldPaths& paths, RawRow& out);
  void read_object(const simdjson::dom::object& object, const FieldPaths& paths, RawRow& out);
  void read_attributes(const simdjson::dom::array& list, const FieldPaths& paths, RawRow& out);
  void read_cell(std::string_view text, const FieldPaths& paths, RawRow& out);
};

void JsonFields::Parsers::read(const element& value, const FieldPaths& paths, RawRow& out) {
  for (const FieldPaths::Target target : paths.targets) {
    FieldValue& place = out[target.field];
    if (place.present && place.column <= target.column) continue;
    if (target.field == Field::block_hashes) {
      out.block_hashes.clear();
      read_hashes(value, out);
      if (!out.block_hashes.empty()) place = {{}, target.column, true};
      continue;
    }
    const std::string_view text = scalar_text(value, out.number_texts[static_cast<std::size_t>(target.field)]);
    if (!text.empty()) place = {text, target.column, true};
  }
  if (paths.children.empty()) return;
  simdjson::dom::object object;
  simdjson::dom::array list;
  std::string_view text;
  if (value.get(object) == simdjson::SUCCESS) {
    read_object(object, paths, out);
  } else if (value.get(list) == simdjson::SUCCESS) {
    read_attributes(list, paths, out);
  } else if (value.get(text) == simdjson::SUCCESS) {
    read_cell(text, paths, out);
  }
}

void JsonFields::Parsers::read_object(const simdjson::dom::object& object, const FieldPaths& paths, RawRow& out) {
  for (const auto& [key, value] : object) {
    if (const FieldPaths* under = paths.under(key)) read(value, *under, out);
  }
}

/// OTLP: [{"key": "gen_ai.request.model", "value": {"stringValue": "…"}}, …].
void JsonFields::Parsers::read_attributes(const simdjson::dom::array& list, const FieldPaths& paths, RawRow& out) {
  for (const element item : list) {
    std::string_view key;
    simdjson::dom::object typed;
    if (item.at_key("key").get(key) != simdjson::SUCCESS || item.at_key("value").get(typed) != simdjson::SUCCESS) continue;
    const FieldPaths* under = paths.under(key);
    if (!under || typed.begin() == typed.end()) continue;
    read((*typed.begin()).value, *under, out);
  }
}

void JsonFields::Parsers::read_cell(std::string_view text, const FieldPaths& paths, RawRow& out) {
  constexpr std::size_t most_cells = 16;  // Also ends a string inside a string inside …
  if (!text.starts_with('{') || cells_used == most_cells) return;
  if (cells_used == cells.size()) cells.emplace_back();
  simdjson::dom::parser& parser = cells[cells_used++];
  element value;
  if (parser.parse(text.data(), text.size()).get(value) != simdjson::SUCCESS) {
    const std::string json = json_from_python(text);
    if (parser.parse(json.data(), json.size()).get(value) != simdjson::SUCCESS) return;
  }
  read(value, paths, out);
}

JsonFields::JsonFields() : parsers_(std::make_unique<Parsers>()) {}
JsonFields::~JsonFields() = default;

void JsonFields::begin_row() { parsers_->cells_used = 0; }

void JsonFields::read_row(std::string_view text, const FieldPaths& paths, RawRow& row) {
  begin_row();
  element value;
  auto failure = parsers_->row.parse(text.data(), text.size(), false).get(value);
  if (failure == simdjson::UTF8_ERROR) {
    row.repaired_utf8 = true;
    parsers_->repaired = repair_utf8(text);
    failure = parsers_->row.parse(parsers_->repaired.data(), parsers_->repaired.size()).get(value);
  }
  if (failure != simdjson::SUCCESS) {
    row.problem = fmt::format("not JSON: {}", simdjson::error_message(failure));
  } else if (simdjson::dom::object object; value.get(object) == simdjson::SUCCESS) {
    parsers_->read_object(object, paths, row);
  } else {
    row.problem = "a JSON object is expected";
  }
}

void JsonFields::read_cell(std::string_view text, const FieldPaths& paths, RawRow& row) {
  parsers_->read_cell(text, paths, row);
}

}  // namespace rackwright::traces
