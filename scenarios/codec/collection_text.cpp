#include "scenarios/codec/collection_text.h"

#include <algorithm>

#include "models/base/invariant.h"
#include "scenarios/codec/node_writer.h"

namespace rackwright::scenarios {
namespace {

constexpr std::string_view blanks = " \t";

bool is_block(const Node& node) { return !node.is_scalar() && node.style == Node::Style::block; }

}  // namespace

std::size_t CollectionText::column(std::size_t offset) const {
  return static_cast<std::size_t>(source_.location(offset).column) - 1;
}

bool CollectionText::begins_line(std::size_t offset) const {
  const std::size_t line = source_.line_begin(offset);
  return source_.text().substr(line, offset - line).find_first_not_of(blanks) == std::string_view::npos;
}

std::size_t CollectionText::skip_blanks(std::size_t offset) const {
  return std::min(source_.text().find_first_not_of(blanks, offset), source_.text().size());
}

std::size_t CollectionText::next_token(std::size_t offset) const {
  const std::string_view text = source_.text();
  while (true) {
    offset = std::min(text.find_first_not_of(" \t\r\n", offset), text.size());
    if (offset == text.size() || text[offset] != '#') return offset;
    offset = source_.line_end(offset);
  }
}

std::vector<CollectionText::Child> CollectionText::children_of(const Node& collection) const {
  std::vector<Child> children;
  for (const NodeEntry& entry : collection.entries) {
    const std::size_t colon = skip_blanks(entry.key.end);
    children.push_back({entry.key.begin, entry.value.is_missing() ? colon + 1 : entry.value.end});
  }
  std::size_t at = collection.begin;
  for (const Node& item : collection.items) {
    if (is_block(collection)) {
      const std::size_t dash = next_token(at);
      invariant(source_.text()[dash] == '-', "an item of a block list begins with '-'");
      children.push_back({dash, item.is_missing() ? dash + 1 : item.end});
    } else {
      children.push_back({item.begin, item.end});
    }
    at = children.back().end;
  }
  return children;
}

std::string CollectionText::key_text(const std::string& key, bool in_flow) const {
  const Surroundings surroundings = notation_ == Notation::json ? Surroundings::json
                                    : in_flow                   ? Surroundings::flow
                                                                : Surroundings::block;
  return write_scalar(scalar_node(key, looks_typed(key) ? Node::Style::double_quoted : Node::Style::plain), surroundings);
}

Slot CollectionText::entry_slot(const Node& map, std::size_t index) const {
  const NodeEntry& entry = map.entries[index];
  const std::size_t colon = skip_blanks(entry.key.end);
  return {&entry.value, colon + 1, is_block(map) ? column(map.begin) + 2 : 0, !is_block(map)};
}

Slot CollectionText::item_slot(const Node& list, std::size_t index) const {
  if (!is_block(list)) return {&list.items[index], list.items[index].begin, 0, true};
  const std::size_t dash = children_of(list)[index].begin;
  return {&list.items[index], dash + 1, column(dash) + 2, false};
}

TextEdits CollectionText::replace(const Slot& slot, const Node& value) const {
  const Node& old = *slot.node;
  const std::string_view text = source_.text();
  if (slot.in_flow || slot.marker_end == 0) {
    const bool blank = old.begin != old.end || old.begin == 0 || text[old.begin - 1] == ' ';
    return {{old.begin, old.end - old.begin, (blank ? "" : " ") + write_flow(value, notation_)}};
  }
  const std::string written = write_block_value(value, slot.indent, source_.line_break());
  const std::size_t first_line_end = source_.line_end(slot.marker_end);
  const bool one_line = written.find('\n') == std::string::npos;
  if (old.is_missing()) return {{slot.marker_end, 0, written}};
  if (old.begin <= first_line_end) {
    // Behind the "|" of a block scalar can stand a comment.
    const bool block_scalar = old.style == Node::Style::literal || old.style == Node::Style::folded;
    const std::size_t comment = block_scalar ? text.substr(0, first_line_end).find(" #", old.begin) : std::string_view::npos;
    const std::string kept(comment == std::string_view::npos ? "" : text.substr(comment, first_line_end - comment));
    if (one_line) return {{old.begin, old.end - old.begin, written.substr(1) + kept}};
    return {{slot.marker_end, old.end - slot.marker_end, written}};
  }
  // The old value stands on the lines below; what stands behind the marker is a comment.
  const std::string kept(text.substr(slot.marker_end, first_line_end - slot.marker_end));
  return {{slot.marker_end, old.end - slot.marker_end, one_line ? written + kept : kept + written}};
}

TextEdits CollectionText::insert_entry(const Node& map, std::size_t index, const std::string& key, const Node& value) const {
  if (!is_block(map)) return insert_flow(map, index, key_text(key, true) + ": " + write_flow(value, notation_));
  const std::size_t indent = map.entries.empty() ? 2 : column(map.begin) + 2;
  return insert_block(map, index, key_text(key, false) + ":" + write_block_value(value, indent, source_.line_break()));
}

TextEdits CollectionText::insert_item(const Node& list, std::size_t index, const Node& value) const {
  if (!is_block(list)) return insert_flow(list, index, write_flow(value, notation_));
  return insert_block(list, index, write_block(list_node({value}, Node::Style::block), column(list.begin), source_.line_break()));
}

TextEdits CollectionText::insert_block(const Node& collection, std::size_t index, const std::string& text) const {
  const std::vector<Child> children = children_of(collection);
  const std::string line_break(source_.line_break());
  if (children.empty()) {
    // Only the root of an empty file is an empty block.
    const std::size_t end = source_.text().size();
    const bool open_line = end > 0 && source_.text().back() != '\n';
    return {{end, 0, (open_line ? line_break : "") + text + line_break}};
  }
  const std::string indent(column(collection.begin), ' ');
  if (index == children.size()) return {{source_.line_end(children.back().end), 0, line_break + indent + text}};
  const std::size_t limit = index == 0 ? 0 : children[index - 1].end;
  const std::size_t at = collection.is_list() ? comments_above(children[index].begin, limit) : children[index].begin;
  return {{at, 0, text + line_break + indent}};
}

TextEdits CollectionText::insert_flow(const Node& collection, std::size_t index, const std::string& text) const {
  const std::vector<Child> children = children_of(collection);
  const std::string_view all = source_.text();
  if (children.empty()) {
    const std::size_t inside = collection.begin + 1;
    return {{inside, 0, all[inside] == '#' ? text + " " : text}};
  }
  // New neighbours stand like the old ones: each on a line of its own, or all on one.
  const auto separated = [&](std::size_t child) {
    const std::size_t begin = children[child].begin;
    if (!begins_line(begin)) return std::string(" ");
    return std::string(source_.line_break()) + std::string(column(begin), ' ');
  };
  if (index < children.size()) return {{children[index].begin, 0, text + "," + separated(index)}};
  const std::size_t last = children.back().end;
  const std::size_t comma = next_token(last);
  const bool has_comma = all[comma] == ',';
  const std::size_t behind = has_comma ? comma + 1 : last;
  const std::size_t rest = skip_blanks(behind);
  const bool comment = rest < all.size() && all[rest] == '#';
  const std::size_t at = comment ? source_.line_end(rest) : behind;
  std::string gap = separated(children.size() - 1);
  if (comment && gap == " ") gap = std::string(source_.line_break()) + " ";
  TextEdits edits;
  if (!has_comma && at != last) edits.push_back({last, 0, ","});
  edits.push_back({at, 0, (!has_comma && at == last ? "," : "") + gap + text + (has_comma ? "," : "")});
  return edits;
}

TextEdits CollectionText::remove(const Slot& slot, std::size_t index) const {
  const Node& collection = *slot.node;
  const std::vector<Child> children = children_of(collection);
  const bool root = slot.marker_end == 0 && !slot.in_flow;
  if (children.size() == 1 && !(root && is_block(collection))) {
    return replace(slot, collection.is_list() ? list_node({}, Node::Style::flow) : map_node({}, Node::Style::flow));
  }
  return is_block(collection) ? remove_block(children, index) : remove_flow(children, index);
}

TextEdits CollectionText::remove_block(const std::vector<Child>& children, std::size_t index) const {
  const Child& child = children[index];
  const std::string_view text = source_.text();
  if (begins_line(child.begin)) {
    const std::size_t begin = source_.line_begin(child.begin);
    const std::size_t newline = text.find('\n', source_.line_end(child.end));
    return {{begin, (newline == std::string_view::npos ? text.size() : newline + 1) - begin, ""}};
  }
  // The first one behind a dash: the next one takes its place, unless a comment stands between.
  const std::size_t next = children[index + 1].begin;
  const bool comment = text.substr(child.end, next - child.end).find('#') != std::string_view::npos;
  return {{child.begin, (comment ? child.end : next) - child.begin, ""}};
}

TextEdits CollectionText::remove_flow(const std::vector<Child>& children, std::size_t index) const {
  const std::string_view text = source_.text();
  TextEdits edits;
  std::size_t begin = children[index].begin;
  std::size_t end = children[index].end;
  if (const std::size_t comma = next_token(end); text[comma] == ',') {
    end = skip_blanks(comma + 1);
  } else {
    const std::size_t before = next_token(children[index - 1].end);
    invariant(text[before] == ',', "items of a flow collection stand between commas");
    edits.push_back({before, 1, ""});
    if (text.substr(before + 1, begin - before - 1).find_first_not_of(blanks) == std::string_view::npos) {
      edits.back().length = begin - before;
    }
  }
  // Take the whole line where nothing else stands on it.
  const std::size_t rest = skip_blanks(end);
  const bool alone = begins_line(begin) && (rest == source_.line_end(rest) || text[rest] == '#');
  if (alone && rest < text.size()) {
    begin = source_.line_begin(begin);
    end = text.find('\n', rest) + 1;
  }
  edits.push_back({begin, end - begin, ""});
  return edits;
}

std::size_t CollectionText::comments_above(std::size_t dash, std::size_t limit) const {
  if (!begins_line(dash)) return dash;
  std::size_t begin = dash;
  for (std::size_t line = source_.line_begin(dash); line > 0;) {
    line = source_.line_begin(line - 1);
    const std::size_t first = skip_blanks(line);
    if (first < limit || source_.text()[first] != '#' || column(first) != column(dash)) break;
    begin = first;
  }
  return begin;
}

TextEdits CollectionText::move_item(const Node& list, std::size_t from, std::size_t to) const {
  std::vector<Child> regions = children_of(list);
  if (is_block(list)) {
    std::size_t limit = 0;
    for (Child& region : regions) {
      const std::size_t end = region.end;
      region = {comments_above(region.begin, limit), source_.line_end(end)};
      limit = region.end;
    }
  }
  std::vector<std::size_t> order(regions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto place = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  if (from < to) {
    std::rotate(place(from), place(from + 1), place(to + 1));
  } else {
    std::rotate(place(to), place(from), place(from + 1));
  }
  TextEdits edits;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Child& old = regions[i];
    const Child& now = regions[order[i]];
    if (order[i] == i) continue;
    edits.push_back({old.begin, old.end - old.begin, std::string(source_.text().substr(now.begin, now.end - now.begin))});
  }
  return edits;
}

TextEdits CollectionText::duplicate_item(const Node& list, std::size_t index, const TextEdits& inside) const {
  const Child child = children_of(list)[index];
  const bool block = is_block(list);
  const std::size_t end = block ? source_.line_end(child.end) : child.end;
  TextEdits relative = inside;
  for (TextEdit& edit : relative) edit.offset -= child.begin;
  const std::string copy = apply_edits(source_.text().substr(child.begin, end - child.begin), relative);
  if (block) return {{end, 0, std::string(source_.line_break()) + std::string(column(child.begin), ' ') + copy}};
  std::string gap = " ";
  if (begins_line(child.begin)) gap = std::string(source_.line_break()) + std::string(column(child.begin), ' ');
  return {{end, 0, "," + gap + copy}};
}

}  // namespace rackwright::scenarios
