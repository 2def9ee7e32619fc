#include "topologies/importers/ib_fabric.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "topologies/importers/text_lines.h"

namespace rackwright::topologies {

namespace {

/// Gb/s of data on one lane (InfiniBand Architecture Specification: SDR to QDR lose a fifth to 8b/10b coding, FDR10 and FDR
/// are 10.3125 and 14.0625 Gbaud less 64b/66b; from EDR on, the name is the data rate).
constexpr std::array<std::pair<std::string_view, double>, 10> lane_gigabits{{{"SDR", 2},
                                                                            {"DDR", 4},
                                                                            {"QDR", 8},
                                                                            {"FDR10", 10},
                                                                            {"FDR", 13.64},
                                                                            {"EDR", 25},
                                                                            {"HDR", 50},
                                                                            {"NDR", 100},
                                                                            {"XDR", 200},
                                                                            {"GDR", 400}}};

/// Reads one line from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_(line) {}

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<int> number() {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// The text up to `end`, which is passed as well.
  std::optional<std::string_view> until(char end) {
    const std::size_t place = rest_.find(end);
    if (place == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, place);
    rest_.remove_prefix(place + 1);
    return text;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// The quoted description of a comment; up to the last quote, since descriptions may hold quotes.
std::string description_in(std::string_view comment) {
  const std::size_t first = comment.find('"');
  const std::size_t last = comment.rfind('"');
  if (first == std::string_view::npos || first == last) return {};
  return std::string(comment.substr(first + 1, last - first - 1));
}

class FabricReader {
 public:
  FabricReader(std::string_view text, ImportReport& report) : text_(text), report_(report) {}

  std::vector<IbNode> read() {
    for (std::string_view line : split_lines(text_)) {
      ++line_;
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (line.empty() || line.starts_with('#')) continue;
      if (line.starts_with('['))
        read_port(line);
      else if (line.starts_with("Switch") || line.starts_with("Ca") || line.starts_with("Rt"))
        read_node(line);
      else if (line.starts_with("devid="))
        read_device_id(line.substr(6));
      // Every other line (other ids, "Chassis …", "Non-Chassis Nodes", "Max of 3 hops discovered") says nothing we use.
    }
    return std::move(nodes_);
  }

 private:
  void read_device_id(std::string_view value) {
    if (value.starts_with("0x")) value.remove_prefix(2);
    device_id_ = 0;
    std::from_chars(value.data(), value.data() + value.size(), device_id_, 16);
  }

  /// Switch<tab>65 "S-…"  # "description" …
  void read_node(std::string_view line) {
    Cursor cursor(line);
    IbNode node;
    node.type = cursor.take("Switch") ? 'S' : cursor.take("Ca") ? 'H' : (cursor.take("Rt"), 'R');
    node.device_id = std::exchange(device_id_, 0);
    node.line = line_;
    cursor.skip_blanks();
    const std::optional<int> ports = cursor.number();
    cursor.skip_blanks();
    const bool quoted = cursor.take('"');
    const std::optional<std::string_view> id = quoted ? cursor.until('"') : std::nullopt;
    if (!ports || !id || id->empty()) {
      report_.error(line_, 1, "not a node line", "expected Switch|Ca|Rt PORTS \"ID\" # \"DESCRIPTION\"");
      in_node_ = false;
      return;
    }
    node.port_count = *ports;
    node.id = *id;
    if (const std::size_t comment = cursor.rest().find('#'); comment != std::string_view::npos)
      node.description = description_in(cursor.rest().substr(comment));
    nodes_.push_back(std::move(node));
    in_node_ = true;
  }

  /// [35]<tab>"S-…"[32]  # "description" lid 236 4xNDR, with (guid) or [ext 1] behind the numbers.
  void read_port(std::string_view line) {
    if (!in_node_) {
      report_.error(line_, 1, "a port before any node");
      return;
    }
    Cursor cursor(line);
    IbPort port;
    port.line = line_;
    cursor.take('[');
    const std::optional<int> number = cursor.number();
    const bool has_peer = cursor.until('"').has_value();
    const std::optional<std::string_view> peer = has_peer ? cursor.until('"') : std::nullopt;
    const bool has_peer_port = cursor.take('[');
    const std::optional<int> peer_port = has_peer_port ? cursor.number() : std::nullopt;
    if (!number || !peer || peer->empty() || !peer_port) {
      report_.error(line_, 1, "not a port line", "expected [PORT] \"PEER\"[PORT] # … WIDTHxSPEED");
      return;
    }
    port.number = *number;
    port.peer = *peer;
    port.peer_port = *peer_port;
    const std::size_t comment = cursor.rest().find('#');
    const std::string_view after = comment == std::string_view::npos ? std::string_view{} : cursor.rest().substr(comment);
    // The width and speed stand behind the description, whose text may look like anything.
    const std::size_t quote = after.rfind('"');
    for (const Word& word : split_words(after.substr(quote == std::string_view::npos ? 0 : quote + 1)))
      if (const double bandwidth = ib_bandwidth(word.text); bandwidth > 0) port.bandwidth = bandwidth;
    nodes_.back().ports.push_back(std::move(port));
  }

  std::string_view text_;
  ImportReport& report_;
  std::vector<IbNode> nodes_;
  long device_id_ = 0;
  bool in_node_ = false;
  int line_ = 0;
};

}  // namespace

double ib_bandwidth(std::string_view name) {
  int width = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), width);
  if (error != std::errc() || width < 1 || width > 12 || end == name.data() + name.size() || *end != 'x') return 0;
  const std::string_view speed = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
  for (const auto& [known, gigabits] : lane_gigabits)
    if (speed == known) return width * gigabits * 1e9 / 8;
  return 0;
}

bool is_ib_node(std::string_view line) {
  Cursor cursor(line);
  cursor.skip_blanks();
  if (!cursor.take("Switch") && !cursor.take("Ca") && !cursor.take("Rt")) return false;
  cursor.skip_blanks();
  const bool has_ports = cursor.number().has_value();
  cursor.skip_blanks();
  return has_ports && cursor.take('"');
}

std::vector<IbNode> read_ib_fabric(std::string_view text, ImportReport& report) { return FabricReader(text, report).read(); }

}  // namespace rackwright::topologies
