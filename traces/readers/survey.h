#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/readers/clean_row.h"
#include "traces/readers/held_rows.h"
#include "traces/records/row_counts.h"

namespace rackwright::traces {

/// What must be known of a whole file before its first request can be given out.
class Survey {
 public:
  /// `holds`: how many rows may be kept. `checks_parents`: whether an unknown parent is a fault.
  Survey(std::size_t holds, bool checks_parents) : holds_(holds), checks_parents_(checks_parents) {}

  /// Where simulated time starts, once that is known: rows past its horizon are then dropped.
  void set_origin(Instant origin) { origin_ = origin; }
  /// Counts disorder, and what is dropped.
  void add(const CleanRow& row, RowCounts& counts);
  /// Counts the rows whose parents are unknown. Until then some 60 bytes are kept per row that has an id, but nothing
  /// for ids that count up with the file.
  void finish(RowCounts& counts);

  std::uint64_t rows() const { return rows_; }
  std::uint64_t requests() const { return rows_ - tools_; }
  std::uint64_t tools() const { return tools_; }
  /// Name ids of tools, in order of first use.
  const std::vector<std::uint32_t>& tool_names() const { return tool_names_; }
  bool has_block_hashes() const { return has_block_hashes_; }
  bool has_speech() const { return has_speech_; }
  Instant first() const { return first_; }
  Instant last() const { return last_; }
  SimTime lateness() const { return lateness_; }
  /// All rows in file order when they are few enough, else none.
  HeldRows take_rows() { return std::move(held_); }

 private:
  void note_parents(const CleanRow& row);

  struct Place {
    Instant arrival;
    std::uint64_t position = 0;
    std::uint64_t line = 0;
    std::uint64_t parent_key = 0;
  };

  std::size_t holds_;
  bool checks_parents_;
  std::optional<Instant> origin_;
  std::uint64_t rows_ = 0;
  std::uint64_t tools_ = 0;
  std::vector<std::uint32_t> tool_names_;
  bool has_block_hashes_ = false;
  bool has_speech_ = false;
  Instant newest_;  ///< Of all rows; first and last are of requests.
  Instant first_;
  Instant last_;
  SimTime lateness_;
  HeldRows held_;
  std::uint64_t counted_ = 0;  ///< The first rows, if their keys are 1, 2, 3 … and they are in order.
  std::unordered_map<std::uint64_t, Place> by_id_;
  std::vector<Place> children_;  ///< Whose parents are not among those first rows.
};

}  // namespace rackwright::traces
