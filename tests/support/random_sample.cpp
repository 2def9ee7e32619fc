#include "tests/support/random_sample.h"

#include <array>
#include <cmath>

#include "scenarios/codec/node_writer.h"

namespace rackwright::tests {
namespace {

using scenarios::Node;
using scenarios::NodeEntry;
using Style = Node::Style;

double random_quantity(RandomStream& random, double low, double high) {
  if (chance(random, 0.3)) return std::round(low + random.uniform() * (high - low)) + 1;
  return low + random.uniform() * (high - low);
}

void fill(test::Device& device, RandomStream& random) {
  if (chance(random, 0.6)) device.set_preset(random_text(random));
  if (chance(random, 0.5)) device.set_memory_bandwidth(std::exp(random.uniform() * 60 - 20));
  if (chance(random, 0.5)) device.set_idle_power(random_quantity(random, 0, 1e6));
  if (chance(random, 0.5)) device.set_efficiency(1 - random.uniform());
  for (std::size_t i = below(random, 3); i > 0; --i) (*device.mutable_peak())["p" + random_text(random)] = random_quantity(random, 1, 1e15);
}

void fill(test::Pool& pool, std::size_t number, RandomStream& random) {
  pool.set_pool(chance(random, 0.7) ? "pool" + std::to_string(number) : std::to_string(number) + random_text(random));
  pool.set_on(random_text(random));
  if (chance(random, 0.5)) fill(*pool.mutable_device(), random);
  if (chance(random, 0.5)) {
    test::Scheduler& scheduler = *pool.mutable_scheduler();
    if (chance(random, 0.7)) scheduler.set_policy(static_cast<test::Policy>(1 + below(random, 4)));
    if (chance(random, 0.4)) scheduler.set_token_budget(static_cast<std::int32_t>(1 + below(random, 1000000)));
    if (chance(random, 0.4)) scheduler.set_chunked(chance(random, 0.5));
  }
  if (chance(random, 0.5)) pool.set_replicas(static_cast<std::int64_t>(random() >> (1 + below(random, 62))));
  for (std::size_t i = below(random, 4); i > 0; --i) pool.add_ids(static_cast<std::int32_t>(below(random, 100)));
  if (chance(random, 0.4)) {
    for (std::size_t i = below(random, 3); i > 0; --i) pool.mutable_labels()->add_values(random_text(random));
    if (chance(random, 0.3)) pool.mutable_labels()->set_note(random_text(random));
  }
}

/// Writes a tree in a random layout.
class Layout {
 public:
  explicit Layout(RandomStream& random) : random_(random) {}

  std::string document(const Node& root) {
    std::string text = chance(random_, 0.2) ? "# head\n" : "";
    if (chance(random_, 0.1)) text += "---\n";
    text += block_map(root, 0);
    return text + (chance(random_, 0.1) ? "" : "\n");
  }

 private:
  std::string comment() { return chance(random_, 0.15) ? " # c" + std::to_string(++comments_) : ""; }

  /// Comment lines and blank lines between two entries of a block.
  std::string between(std::size_t indent) {
    std::string text;
    while (chance(random_, 0.12)) {
      text += chance(random_, 0.4) ? "\n" : std::string(indent, ' ') + "# c" + std::to_string(++comments_) + "\n";
    }
    return text;
  }

  std::string scalar(const Node& node, bool flow) {
    const auto surroundings = flow ? scenarios::Surroundings::flow : scenarios::Surroundings::block;
    const bool quotable = node.value.find_first_of("'\n\t\x01") == std::string::npos && node.value.find("\u2028") == std::string::npos;
    if (quotable && chance(random_, 0.15)) return "'" + node.value + "'";
    if (chance(random_, 0.1)) return scenarios::write_scalar(scenarios::scalar_node(node.value, Style::double_quoted), surroundings);
    return scenarios::write_scalar(node, surroundings);
  }

  /// A literal block gives the text back only if it ends with one line break and holds no odd characters.
  bool fits_literal(const std::string& text) const {
    if (text.size() < 2 || text.back() != '\n' || text[text.size() - 2] == '\n' || text.front() == ' ' || text.front() == '\n') return false;
    return text.find_first_of("\t\x01") == std::string::npos && text.find("\u2028") == std::string::npos;
  }

  std::string flow(const Node& node) {
    if (node.is_scalar()) return scalar(node, true);
    const bool lines = chance(random_, 0.2);
    const std::string gap = lines ? "\n     " : chance(random_, 0.2) ? "" : " ";
    std::string text;
    const std::size_t size = node.items.size() + node.entries.size();
    for (std::size_t i = 0; i < size; ++i) {
      text += i > 0 || lines ? (lines ? gap : i > 0 ? " " : "") : "";
      text += node.is_list() ? flow(node.items[i])
                             : scalar(node.entries[i].key, true) + ": " + flow(node.entries[i].value);
      if (i + 1 < size || (lines && chance(random_, 0.3))) text += ",";
      if (lines) text += comment();
    }
    if (lines) text += "\n  ";
    return node.is_list() ? "[" + text + "]" : "{" + text + "}";
  }

  /// What follows "key:" or "-" in a block, up to the end of its last line.
  std::string value(const Node& node, std::size_t indent, bool in_map) {
    if (node.is_scalar()) {
      if (fits_literal(node.value) && chance(random_, 0.6)) {
        std::string text = " |" + comment();
        std::size_t at = 0;
        while (at < node.value.size()) {
          const std::size_t end = node.value.find('\n', at);
          text += "\n" + (end == at ? "" : std::string(indent + 2, ' ')) + node.value.substr(at, end - at);
          at = end + 1;
        }
        return text;
      }
      return (chance(random_, 0.1) ? "   " : " ") + scalar(node, false) + comment();
    }
    const bool empty = node.items.empty() && node.entries.empty();
    if (empty || chance(random_, 0.4)) return " " + flow(node) + comment();
    if (node.is_map()) return comment() + "\n" + std::string(indent + 2, ' ') + block_map(node, indent + 2);
    const std::size_t inner = in_map && chance(random_, 0.3) ? indent : indent + 2;
    return comment() + "\n" + std::string(inner, ' ') + block_list(node, inner);
  }

  std::string block_map(const Node& node, std::size_t indent) {
    std::string text;
    for (const NodeEntry& entry : node.entries) {
      if (!text.empty()) text += "\n" + between(indent) + std::string(indent, ' ');
      text += scalar(entry.key, false) + ":" + value(entry.value, indent, true);
    }
    return text;
  }

  std::string block_list(const Node& node, std::size_t indent) {
    std::string text;
    for (const Node& item : node.items) {
      if (!text.empty()) text += "\n" + between(indent) + std::string(indent, ' ');
      const bool map = item.is_map() && !item.entries.empty() && chance(random_, 0.6);
      text += map ? "- " + block_map(item, indent + 2) : "-" + value(item, indent, false);
    }
    return text;
  }

  RandomStream& random_;
  int comments_ = 0;
};

}  // namespace

std::size_t below(RandomStream& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

bool chance(RandomStream& random, double probability) { return random.uniform() < probability; }

std::string random_text(RandomStream& random) {
  static constexpr auto texts = std::to_array<const char*>(
      {"a", "chat", "gpu[0..31]", "", "null", "true", "12", "1e3", "a: b", "a:b", "# x", "a #b", "- dash", "-", "--- x", "'q'", "\"dq\"",
       "trailing ", " lead", "{", "a}b", ",", "a, b", "?", "? x", "@key", "a @key", "%", "`", "\\n", "~", "<<", "=", "*a", "&a", "!t", "|", ">",
       "gr\u00fcn", "\U0001F680 up", "\u2028", "tab\tin", "\x01", "two\nlines", "block\ntext\n", "# not a comment\n- nor a list\n", "a\n\nb\n",
       "yes", "0x10", "key:", "it's", "x.y", "x\"y", "[0]", "a]b", "\u65e5\u672c"});
  std::string text = texts[below(random, texts.size())];
  if (chance(random, 0.2)) text += texts[below(random, texts.size())];
  return text;
}

test::Sample random_sample(RandomStream& random) {
  test::Sample sample;
  sample.set_schema("rackwright/sample/v1");
  if (chance(random, 0.6)) sample.set_name(random_text(random));
  if (chance(random, 0.5)) sample.set_seed(static_cast<std::int64_t>(random() >> 1));
  if (chance(random, 0.5)) sample.set_duration(random_quantity(random, 1e-12, 1e6));
  if (chance(random, 0.5)) sample.set_verbose(chance(random, 0.5));
  if (chance(random, 0.5)) sample.set_factor((random.uniform() - 0.5) * std::exp(random.uniform() * 1000 - 500));
  const std::size_t pools = 1 + below(random, 4);
  for (std::size_t i = 0; i < pools; ++i) fill(*sample.add_deployment(), i, random);
  for (std::size_t i = below(random, 3); i > 0; --i) fill((*sample.mutable_devices())["d" + random_text(random)], random);
  for (std::size_t i = below(random, 3); i > 0; --i) (*sample.mutable_aliases())[std::to_string(i) + random_text(random)] = random_text(random);
  for (std::size_t i = below(random, 4); i > 0; --i) sample.add_notes(random_text(random));
  return sample;
}

std::string random_layout(const Node& root, RandomStream& random) {
  std::string text = Layout(random).document(root);
  if (!chance(random, 0.15)) return text;
  std::string crlf;
  for (const char c : text) {
    if (c == '\n') crlf += '\r';
    crlf += c;
  }
  return crlf;
}

}  // namespace rackwright::tests
