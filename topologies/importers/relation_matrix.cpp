#include "topologies/importers/relation_matrix.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/names.h"
#include "topologies/importers/text_lines.h"

namespace rackwright::topologies {

namespace {

constexpr std::size_t most_devices = 1024;

/// "GPU12", "NIC3", "mlx5_0", "mlx5_bond_0", "irdma1", "hfi1_0": letters first, a digit last, nothing but those and '_'.
bool is_device(std::string_view word) {
  if (word.size() < 2 || std::isalpha(static_cast<unsigned char>(word[0])) == 0) return false;
  if (std::isdigit(static_cast<unsigned char>(word.back())) == 0 || word.starts_with("NV")) return false;
  return std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool is_gpu(std::string_view word) { return word.starts_with("GPU") && is_device(word); }

const std::array<std::pair<std::string_view, Nearness>, 7>& known_relations() {
  // SOC is what releases before 2017 printed for SYS.
  static constexpr std::array<std::pair<std::string_view, Nearness>, 7> known{
      {{"X", Nearness::self}, {"PIX", Nearness::pix}, {"PXB", Nearness::pxb}, {"PHB", Nearness::phb},
       {"NODE", Nearness::node}, {"SYS", Nearness::sys}, {"SOC", Nearness::sys}}};
  return known;
}

std::optional<Relation> parse_relation(const Word& word, int line) {
  Relation relation{Nearness::unknown, 0, line, word.column};
  for (const auto& [name, nearness] : known_relations())
    if (word.text == name) {
      relation.nearness = nearness;
      return relation;
    }
  if (!word.text.starts_with("NV")) return std::nullopt;
  const auto links = to_integer(std::string_view(word.text).substr(2));
  if (!links || *links < 1 || *links > 255) return std::nullopt;
  relation.nvlinks = static_cast<int>(*links);
  return relation;
}

/// Whether a word is nothing but relations, one after another.
bool is_glued(std::string_view text) {
  if (parse_relation({std::string(text), 0}, 0)) return true;
  return std::ranges::any_of(known_relations(), [&](const auto& known) {
    return known.second != Nearness::self && text.starts_with(known.first) && is_glued(text.substr(known.first.size()));
  });
}

/// A row whose first `columns` relations stand apart: wide tables lose the gap between columns where they were pasted ("NODENODE").
std::vector<Word> unglued(std::span<const Word> words, std::size_t columns) {
  std::vector<Word> row(words.begin(), words.end());
  for (std::size_t i = 1; i < row.size() && i <= columns; ++i) {
    if (parse_relation(row[i], 0) || !is_glued(row[i].text)) continue;
    for (const auto& [name, nearness] : known_relations()) {
      if (nearness == Nearness::self || !row[i].text.starts_with(name)) continue;
      const Word rest{row[i].text.substr(name.size()), row[i].column + static_cast<int>(name.size())};
      row[i].text.resize(name.size());
      row.insert(row.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
      break;
    }
  }
  return row;
}

/// The device columns of a header, or nothing if the line is not one. "GPU NUMA ID" ends them like "CPU Affinity".
std::vector<std::string> header_devices(std::span<const Word> words) {
  std::vector<std::string> names;
  for (const Word& word : words) {
    if (!is_device(word.text)) break;
    names.push_back(word.text);
  }
  const bool has_gpu = std::ranges::any_of(names, is_gpu);
  const bool ends_well = names.size() == words.size() || words[names.size()].text == "CPU" || words[names.size()].text == "NUMA" ||
                         words[names.size()].text == "GPU";
  // A row starts with a device as well, but a relation follows it.
  if (!has_gpu || !ends_well) return {};
  return names;
}

class MatrixReader {
 public:
  MatrixReader(std::string_view text, ImportReport& report) : lines_(split_lines(text)), report_(report) {}

  RelationMatrix read() {
    std::size_t at = 0;
    std::vector<std::string> names;
    for (; at < lines_.size() && names.empty(); ++at) names = header_devices(split_words(lines_[at]));
    if (names.empty()) {
      report_.error(lines_.empty() ? 0 : 1, lines_.empty() ? 0 : 1, "no header row with GPU columns", "expected the output of nvidia-smi topo -m");
      return {};
    }
    header_line_ = static_cast<int>(at);
    if (!make_devices(names)) return {};
    for (; at < lines_.size(); ++at) {
      const std::vector<Word> words = split_words(lines_[at]);
      if (words.empty()) continue;
      if (words[0].text == "Legend:") break;
      read_row(words, static_cast<int>(at) + 1);
    }
    mirror();
    return std::move(matrix_);
  }

 private:
  bool make_devices(const std::vector<std::string>& names) {
    if (names.size() > most_devices) {
      report_.error(header_line_, 1, fmt::format("{} columns are more than {}", names.size(), most_devices));
      return false;
    }
    for (const std::string& name : names) {
      if (std::ranges::find(matrix_.devices, name, &RelationMatrix::Device::name) != matrix_.devices.end()) {
        report_.error(header_line_, 1, fmt::format("two columns are called '{}'", name));
        return false;
      }
      matrix_.devices.push_back({name, is_gpu(name), {}, {}, 0});
    }
    matrix_.relations.resize(names.size() * names.size());
    return true;
  }

  void read_row(std::span<const Word> written, int line) {
    const std::vector<Word> words = unglued(written, matrix_.devices.size());
    const auto place = std::ranges::find(matrix_.devices, words[0].text, &RelationMatrix::Device::name);
    if (place == matrix_.devices.end()) {
      if (is_gpu(words[0].text)) report_.warning(line, words[0].column, fmt::format("row '{}' has no column", words[0].text));
      return;
    }
    if (place->line != 0) {
      report_.error(line, words[0].column, fmt::format("a second row for '{}'", place->name), fmt::format("the first is line {}", place->line));
      return;
    }
    place->line = line;
    const auto row = static_cast<std::size_t>(place - matrix_.devices.begin());
    const std::size_t columns = matrix_.devices.size();
    for (std::size_t c = 0; c < columns; ++c) {
      if (c + 1 >= words.size()) {
        report_.error(line, words.back().column, fmt::format("row '{}' has {} of {} relations", place->name, c, columns));
        return;
      }
      const Word& word = words[c + 1];
      const std::optional<Relation> relation = parse_relation(word, line);
      if (!relation) {
        report_.error(line, word.column, fmt::format("'{}' is not a relation", word.text), "known: X, NV#, PIX, PXB, PHB, NODE, SYS");
        return;
      }
      if ((relation->nearness == Nearness::self) != (c == row)) {
        report_.error(line, word.column, fmt::format("'{}' between '{}' and '{}'", word.text, place->name, matrix_.devices[c].name));
        return;
      }
      matrix_.at(row, c) = *relation;
    }
    if (columns + 1 < words.size()) place->cpu_affinity = words[columns + 1].text;
    if (columns + 2 < words.size()) place->numa_affinity = words[columns + 2].text;
  }

  /// Fills in what only the other row says. A contradiction keeps what the earlier row says.
  void mirror() {
    const std::size_t count = matrix_.devices.size();
    for (std::size_t a = 0; a < count; ++a) {
      if (matrix_.devices[a].line == 0) report_.warning(header_line_, 1, fmt::format("column '{}' has no row", matrix_.devices[a].name));
      for (std::size_t b = a + 1; b < count; ++b) {
        Relation& there = matrix_.at(a, b);
        Relation& back = matrix_.at(b, a);
        if (there.line == 0) there = back;
        if (back.line == 0) back = there;
        if (there.nearness != back.nearness || there.nvlinks != back.nvlinks) {
          report_.warning(back.line, back.column, fmt::format("'{}' and '{}' disagree about each other", matrix_.devices[a].name, matrix_.devices[b].name),
                          fmt::format("line {} is taken", there.line));
          back = there;
        }
      }
    }
  }

  std::vector<std::string_view> lines_;
  ImportReport& report_;
  RelationMatrix matrix_;
  int header_line_ = 0;
};

}  // namespace

RelationMatrix read_relation_matrix(std::string_view text, ImportReport& report) { return MatrixReader(text, report).read(); }

}  // namespace rackwright::topologies
