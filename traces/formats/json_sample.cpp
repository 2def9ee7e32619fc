#include "traces/formats/json_sample.h"

#include <simdjson.h>

#include <array>
#include <string>

#include "traces/rows/json_splitter.h"
#include "traces/text/line_reader.h"

namespace rackwright::traces {
namespace {

using simdjson::dom::element;

constexpr int rows_looked_at = 200;
constexpr std::size_t most_fields = 500;
constexpr std::size_t deepest_path = 6;

/// Keys under which exports keep their rows: LiteLLM and OpenAI lists, span files, log queries.
constexpr std::array<std::string_view, 10> row_keys{"data", "spans", "requests", "logs", "items",
                                                   "results", "rows", "records", "entries", "traces"};

void collect(const element& value, const std::string& path, std::size_t depth, TraceSample& sample);

void collect_member(std::string_view key, const element& value, const std::string& path, std::size_t depth, TraceSample& sample) {
  collect(value, path.empty() ? std::string(key) : path + "." + std::string(key), depth + 1, sample);
}

/// Adds the path of a scalar or list; goes into objects and OTLP attribute lists.
void collect(const element& value, const std::string& path, std::size_t depth, TraceSample& sample) {
  if (sample.fields.size() >= most_fields || depth > deepest_path) return;
  simdjson::dom::object object;
  simdjson::dom::array list;
  std::string_view text;
  if (value.get(object) == simdjson::SUCCESS) {
    for (const auto& [key, item] : object) collect_member(key, item, path, depth, sample);
    return;
  }
  if (value.get(list) == simdjson::SUCCESS) {
    bool attributes = false;
    for (const element item : list) {
      std::string_view key;
      simdjson::dom::object typed;
      if (item.at_key("key").get(key) != simdjson::SUCCESS || item.at_key("value").get(typed) != simdjson::SUCCESS) break;
      attributes = true;
      if (typed.begin() != typed.end()) collect_member(key, (*typed.begin()).value, path, depth, sample);
    }
    if (attributes) return;
  }
  if (path.empty()) return;
  const bool is_text = value.get(text) == simdjson::SUCCESS;
  const bool added = sample.values.try_emplace(path, is_text ? std::string(text) : simdjson::minify(value).substr(0, 80)).second;
  if (added) sample.fields.push_back(path);
}

/// The key of the row lists inside one complete object; empty when the object itself is a row.
std::string row_key_of(const simdjson::dom::object& object) {
  element ignored;
  if (object.at_key("resourceSpans").get(ignored) == simdjson::SUCCESS) return "spans";
  for (const std::string_view key : row_keys) {
    simdjson::dom::array list;
    if (object.at_key(key).get(list) != simdjson::SUCCESS) continue;
    if (list.begin() == list.end() || (*list.begin()).is_object()) return std::string(key);
  }
  return {};
}

/// The same for a text whose first object is not complete, by looking for `"key": [{`.
std::string row_key_in(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  if (text.find("\"resourceSpans\"") != std::string_view::npos) return "spans";
  std::size_t earliest = std::string_view::npos;
  std::string_view found;
  for (const std::string_view key : row_keys) {
    const std::string quoted = '"' + std::string(key) + '"';
    std::size_t at = text.find(quoted);
    if (at >= earliest) continue;
    std::size_t next = at + quoted.size();
    bool list_of_objects = true;
    for (const char bracket : {':', '[', '{'}) {
      next = text.find_first_not_of(blank, next);
      list_of_objects = list_of_objects && next != std::string_view::npos && text[next] == bracket;
      if (!list_of_objects) break;
      ++next;
    }
    if (!list_of_objects) continue;
    earliest = at;
    found = key;
  }
  return std::string(found);
}

/// Whether lines are objects of their own: the first is, or two of the first ten are.
bool is_lines(std::string_view text, simdjson::dom::parser& parser, std::string& row_key) {
  TextBuffer buffer(open_memory(text));
  LineReader lines(buffer);
  std::string_view line;
  int objects = 0;
  for (int i = 0; i < 10 && lines.next(line); ++i) {
    simdjson::dom::object object;
    if (parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) continue;
    if (objects == 0) row_key = row_key_of(object);
    ++objects;
    if (i == 0 || objects == 2) return true;
  }
  return false;
}

}  // namespace

void sample_json(std::string_view start, TraceSample& sample) {
  simdjson::dom::parser parser;
  const bool list = start[start.find_first_not_of(" \t\r\n")] == '[';
  const bool lines = !list && is_lines(start, parser, sample.row_key);
  if (list && start.find("\"resourceSpans\"") != std::string_view::npos) sample.row_key = "spans";
  if (!list && !lines) sample.row_key = row_key_in(start);
  sample.container = lines && sample.row_key.empty() ? Container::json_lines : Container::json_document;

  TextBuffer buffer(open_memory(start));
  int rows = 0;
  const auto take_row = [&](std::string_view row) {
    element value;
    if (parser.parse(row.data(), row.size()).get(value) == simdjson::SUCCESS && value.is_object()) collect(value, {}, 0, sample);
    return ++rows < rows_looked_at;
  };
  std::string_view row;
  if (sample.container == Container::json_lines) {
    LineReader reader(buffer);
    while (reader.next(row) && take_row(row)) {
    }
  } else {
    std::uint64_t line = 0;
    JsonSplitter splitter(buffer, sample.row_key);
    while (splitter.next(row, line) && take_row(row)) {
    }
  }
}

}  // namespace rackwright::traces
