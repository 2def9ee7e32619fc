#include "scenarios/codec/yaml_reader.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <string_view>

#include "models/base/invariant.h"
#include "scenarios/codec/checked_text.h"

namespace rackwright::scenarios {
namespace {

/// Owns libyaml's parser and its current event.
class EventStream {
 public:
  explicit EventStream(std::string_view text) {
    if (yaml_parser_initialize(&parser_) == 0) throw EnvironmentError("out of memory while reading YAML");
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~EventStream() {
    if (has_event_) yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Steps to the next event; false on a syntax error.
  bool next() {
    if (has_event_) yaml_event_delete(&event_);
    has_event_ = yaml_parser_parse(&parser_, &event_) != 0;
    return has_event_;
  }

  const yaml_event_t& event() const { return event_; }
  const yaml_parser_t& parser() const { return parser_; }

 private:
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool has_event_ = false;
};

std::string_view as_text(const yaml_char_t* text) { return text ? reinterpret_cast<const char*>(text) : ""; }

Node::Style style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: return Node::Style::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return Node::Style::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE: return Node::Style::literal;
    case YAML_FOLDED_SCALAR_STYLE: return Node::Style::folded;
    default: return Node::Style::plain;
  }
}

class TreeReader {
 public:
  TreeReader(const SourceText& source, const CheckedText& checked, Diagnostics& diagnostics, const ReadLimits& limits)
      : source_(source), checked_(checked), diagnostics_(diagnostics), limits_(limits), events_(checked.text()) {}

  std::optional<Node> read() {
    const int errors_before = diagnostics_.error_count();
    Node root = map_node({}, Node::Style::block);
    root.begin = root.end = source_.text().size();
    if (!advance() || !advance()) return std::nullopt;  // Stream start, then a document or the end.
    if (type() == YAML_DOCUMENT_START_EVENT) {
      if (!advance() || !read_node(root, 1) || !advance() || !advance()) return std::nullopt;
      if (type() == YAML_DOCUMENT_START_EVENT) {
        fail(begin(), "the file has more than one document", "keep one; '---' begins a second");
      }
    }
    if (diagnostics_.error_count() > errors_before) return std::nullopt;
    if (root.is_missing()) {
      root = map_node({}, Node::Style::block);
      root.begin = root.end = source_.text().size();
    }
    return root;
  }

 private:
  yaml_event_type_t type() const { return events_.event().type; }
  std::size_t begin() const { return checked_.source_offset(events_.event().start_mark.index); }
  std::size_t end() const { return checked_.source_offset(events_.event().end_mark.index); }

  bool fail(std::size_t offset, std::string message, std::string hint = {}) {
    diagnostics_.error(source_.location(offset), "", std::move(message), std::move(hint));
    return false;
  }

  bool advance() {
    if (events_.next()) return true;
    const yaml_parser_t& parser = events_.parser();
    if (parser.error == YAML_MEMORY_ERROR) throw EnvironmentError("out of memory while reading YAML");
    const std::size_t at = checked_.source_offset(parser.problem_mark.index);
    const std::string_view text = source_.text();
    const char found = at < text.size() ? text[at] : '\0';
    const std::string problem = parser.problem ? parser.problem : "the text is not well formed";
    if (found == '\t') return fail(at, "a tab is used for indentation", "indent with spaces");
    if ((found == '[' || found == '{') && problem.find("did not find expected ','") != std::string::npos) {
      return fail(at, fmt::format("'{}' inside [ ] or {{ }} begins a new collection", found),
                  "put quotes around a text that contains it, as in \"gpu[0..3]\"");
    }
    if (problem.starts_with("mapping values are not allowed")) {
      return fail(at, "a second ':' on the line", "put quotes around a text that contains ': ', or check the indentation");
    }
    std::string hint;
    if (parser.context) {
      const std::size_t from = checked_.source_offset(parser.context_mark.index);
      hint = fmt::format("{} that begins in line {}", parser.context, source_.location(from).line);
    }
    return fail(at, problem, std::move(hint));
  }

  /// Reads the value that the current event begins.
  bool read_node(Node& node, std::size_t depth) {
    if (++nodes_ > limits_.nodes) return fail(begin(), fmt::format("more than {} values", limits_.nodes));
    if (depth > limits_.depth) return fail(begin(), fmt::format("nested more than {} deep", limits_.depth));
    node.begin = begin();
    node.end = end();
    switch (type()) {
      case YAML_ALIAS_EVENT:
        fail(node.begin, "aliases are not supported", "write the value where it is used");
        return true;
      case YAML_SCALAR_EVENT: return read_scalar(node);
      case YAML_SEQUENCE_START_EVENT: return read_list(node, depth);
      case YAML_MAPPING_START_EVENT: return read_map(node, depth);
      default: invariant_failed("libyaml sent an event out of place");
    }
  }

  void refuse_decoration(const yaml_char_t* anchor, const yaml_char_t* tag) {
    if (anchor) fail(begin(), fmt::format("anchors are not supported: '&{}'", as_text(anchor)), "write the value where it is used");
    if (tag) fail(begin(), fmt::format("tags are not supported: '{}'", as_text(tag)), "types come from the schema");
  }

  bool read_scalar(Node& node) {
    const auto& scalar = events_.event().data.scalar;
    refuse_decoration(scalar.anchor, scalar.tag);
    node.kind = Node::Kind::scalar;
    node.style = style_of(scalar.style);
    node.value.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (node.style == Node::Style::literal || node.style == Node::Style::folded) end_block_scalar(node);
    return true;
  }

  /// libyaml ends a block scalar behind its line breaks, which belong to the text only where "+" keeps them.
  void end_block_scalar(Node& node) {
    const std::string_view text = source_.text();
    if (text.substr(node.begin, std::min<std::size_t>(3, node.end - node.begin)).find('+') != std::string_view::npos) {
      fail(node.begin, "'+' behind | or > is not supported", "write the final line breaks in double quotes");
    }
    while (node.end > node.begin && (text[node.end - 1] == '\n' || text[node.end - 1] == '\r')) --node.end;
  }

  bool read_list(Node& node, std::size_t depth) {
    const auto& start = events_.event().data.sequence_start;
    refuse_decoration(start.anchor, start.tag);
    node.kind = Node::Kind::list;
    node.style = start.style == YAML_FLOW_SEQUENCE_STYLE ? Node::Style::flow : Node::Style::block;
    while (true) {
      if (!advance()) return false;
      if (type() == YAML_SEQUENCE_END_EVENT) break;
      if (!read_node(node.items.emplace_back(), depth + 1)) return false;
    }
    close(node, node.items.empty() ? node.begin : node.items.back().end);
    return true;
  }

  bool read_map(Node& node, std::size_t depth) {
    const auto& start = events_.event().data.mapping_start;
    refuse_decoration(start.anchor, start.tag);
    node.kind = Node::Kind::map;
    node.style = start.style == YAML_FLOW_MAPPING_STYLE ? Node::Style::flow : Node::Style::block;
    if (node.style == Node::Style::flow && source_.text()[node.begin] != '{') {
      fail(node.begin, "a single pair in a list needs braces", "write {key: value}");
    }
    while (true) {
      if (!advance()) return false;
      if (type() == YAML_MAPPING_END_EVENT) break;
      NodeEntry& entry = node.entries.emplace_back();
      if (!read_node(entry.key, depth + 1)) return false;
      check_key(entry.key);
      if (!advance() || !read_node(entry.value, depth + 1)) return false;
    }
    close(node, node.entries.empty() ? node.begin : node.entries.back().value.end);
    check_duplicates(node);
    return true;
  }

  void close(Node& node, std::size_t last_end) {
    node.end = node.style == Node::Style::flow ? end() : last_end;
  }

  /// Edits look for "key:" in the text, so that every key must be written so.
  void check_key(const Node& key) {
    if (!key.is_scalar()) {
      fail(key.begin, "a key must be a name");
      return;
    }
    const std::string_view text = source_.text();
    std::size_t before = key.begin;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
    const std::size_t after = text.find_first_not_of(" \t", key.end);
    const bool colon = after != std::string_view::npos && text[after] == ':';
    if (!colon || (before > 0 && text[before - 1] == '?')) {
      fail(key.begin, fmt::format("the key '{}' is not followed by ':'", key.value), "write 'key: value'");
    } else if (key.value == "<<" && key.style == Node::Style::plain) {
      fail(key.begin, "merge keys are not supported", "presets and their overrides say things once");
    } else if (key.value.empty()) {
      fail(key.begin, "a key is empty");
    }
  }

  void check_duplicates(const Node& map) {
    std::vector<const Node*> keys;
    keys.reserve(map.entries.size());
    for (const NodeEntry& entry : map.entries) keys.push_back(&entry.key);
    std::ranges::stable_sort(keys, {}, [](const Node* key) { return std::string_view(key->value); });
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (keys[i]->value != keys[i - 1]->value || !keys[i]->is_scalar()) continue;
      fail(keys[i]->begin, fmt::format("the key '{}' is given twice", keys[i]->value),
           fmt::format("first in line {}", source_.location(keys[i - 1]->begin).line));
    }
  }

  const SourceText& source_;
  const CheckedText& checked_;
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  EventStream events_;
  std::size_t nodes_ = 0;
};

}  // namespace

std::optional<Node> read_yaml(const SourceText& source, Diagnostics& diagnostics, Notation notation,
                              const ReadLimits& limits) {
  if (source.text().size() > limits.bytes) {
    diagnostics.error({source.file()}, "", fmt::format("the file is larger than {} bytes", limits.bytes));
    return std::nullopt;
  }
  const int errors_before = diagnostics.error_count();
  const auto surrogates = notation == Notation::json ? CheckedText::Surrogates::join : CheckedText::Surrogates::keep;
  const CheckedText checked(source, surrogates, diagnostics);
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  return TreeReader(source, checked, diagnostics, limits).read();
}

}  // namespace rackwright::scenarios
