#include "models/cost/nccl_tests_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace rackwright::cost {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = line.find_first_not_of(" \t\r", at);
    if (from == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", from), line.size());
    words.push_back(line.substr(from, at - from));
  }
  return words;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// What comes before the text that the program printed itself.
std::string_view without_prefix(std::string_view line) {
  const std::size_t tagged = line.find(">:");
  if (line.starts_with('[') && tagged != std::string_view::npos) return line.substr(tagged + 2);
  const std::size_t named = line.find(": ");
  if (named != std::string_view::npos && line.find_first_of(" \t#") > named) return line.substr(named + 2);
  return line;
}

/// One row: size, count, type, then perhaps redop and root, then time, two bandwidths and errors, twice.
struct Row {
  double bytes = 0;
  double us = 0;
  double bus_ratio = 0;  ///< Of bus to algorithm bandwidth; 0 where they are too small to say.
  bool sums = false;
};

std::optional<Row> row_of(const std::vector<std::string_view>& words) {
  constexpr std::size_t half = 4;
  if (words.size() < 3 + 2 * half) return std::nullopt;
  const std::optional<double> bytes = number(words[0]);
  if (!bytes || !number(words[1]) || number(words[2])) return std::nullopt;
  const std::size_t out = words.size() - 2 * half;
  const std::optional<double> out_us = number(words[out]);
  const std::optional<double> algorithm = number(words[out + 1]);
  const std::optional<double> bus = number(words[out + 2]);
  if (!out_us || !algorithm || !bus) return std::nullopt;
  const double us = number(words[out + half]).value_or(0);
  return Row{*bytes, us > 0 ? us : *out_us, *algorithm > 1 ? *bus / *algorithm : 0, words[3] == "sum"};
}

/// "all_reduce" of "…/all_reduce_perf_mpi" in a line, or "".
std::string program_in(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == std::string_view::npos) return {};
  const std::size_t before = line.find_last_not_of("abcdefghijklmnopqrstuvwxyz_", end - (end > 0 ? 1 : 0));
  const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
  return std::string(line.substr(from, end - from));
}

class LogReader {
 public:
  void take(std::string_view line) {
    line = without_prefix(line);
    if (const std::string program = program_in(line); !program.empty()) program_ = program;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() > 7 && words[0] == "#" && words[1] == "Rank") note_rank(words);
    const bool heads_table = words.size() > 2 && words[0] == "#" && words[1] == "size";
    if (heads_table) open_table();
    if (const std::optional<Row> row = row_of(words); row && row->bytes > 0 && row->us > 0) {
      if (all_.empty()) open_table();
      if (row->bus_ratio > 0) bus_ratio_ = row->bus_ratio;
      sums_ = row->sums;
      all_.back().rows.push_back({row->bytes, row->us * 1e-6});
    }
  }

  std::vector<CollectiveSeries> finish() {
    name_table();
    std::erase_if(all_, [](const CollectiveSeries& one) { return one.rows.empty(); });
    return std::move(all_);
  }

 private:
  static constexpr int usual_ranks_of_node = 8;

  // "# Rank 3 Group 0 Pid 26636 on bm-h100-02 device 3 …"; older versions have no group.
  void note_rank(const std::vector<std::string_view>& words) {
    if (!lists_ranks_) ranks_.clear(), hosts_.clear();
    lists_ranks_ = true;
    ranks_.insert(std::string(words[2]));
    for (std::size_t i = 3; i + 1 < words.size(); ++i)
      if (words[i] == "on") hosts_.insert(std::string(words[i + 1]));
  }

  void open_table() {
    name_table();
    lists_ranks_ = false;
    all_.push_back({});
    all_.back().ranks = static_cast<int>(ranks_.size());
    all_.back().nodes = static_cast<int>(hosts_.size());
  }

  void name_table() {
    if (all_.empty() || !all_.back().op.empty()) return;
    CollectiveSeries& table = all_.back();
    table.op = program_;
    if (table.op.empty()) table.op = bus_ratio_ > 1 ? "all_reduce" : sums_ ? "reduce_scatter" : "all_gather";
    // A ratio of 2 (n − 1) / n or (n − 1) / n says how many ranks there were.
    const double share = bus_ratio_ > 1 ? bus_ratio_ / 2 : bus_ratio_;
    if (table.ranks == 0 && share > 0 && share < 1) table.ranks = static_cast<int>(std::lround(1 / (1 - share)));
    if (table.nodes == 0) table.nodes = std::max(1, (table.ranks + usual_ranks_of_node - 1) / usual_ranks_of_node);
    bus_ratio_ = 0;
  }

  std::string program_;
  std::set<std::string> ranks_;
  std::set<std::string> hosts_;
  bool lists_ranks_ = false;
  double bus_ratio_ = 0;  ///< Of the last long row of the open table.
  bool sums_ = false;
  std::vector<CollectiveSeries> all_;
};

}  // namespace

bool is_nccl_tests_log(std::string_view text) { return text.find("busbw") != std::string_view::npos; }

std::vector<CollectiveSeries> read_nccl_tests_log(const std::string& file, std::string_view text, Diagnostics& diagnostics) {
  LogReader reader;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    reader.take(text.substr(at, end - at));
    at = end + 1;
  }
  std::vector<CollectiveSeries> all = reader.finish();
  if (all.empty()) diagnostics.error({file, 0, 0}, "", "the log has no row with a size and a time", "nccl-tests prints size, count, type, … , time, algbw, busbw");
  return all;
}

}  // namespace rackwright::cost
