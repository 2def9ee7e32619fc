#include "traces/records/row_counts.h"

#include <algorithm>
#include <array>

namespace rackwright::traces {

std::string_view to_string(RowCause cause) {
  static constexpr std::array<std::string_view, row_cause_count> names{
      "malformed",     "zero_output",    "zero_input", "failed",         "cached_response", "other_event",
      "bad_utf8",      "out_of_order",   "wrapped_clock", "beyond_horizon", "duplicate",    "too_many_names",
      "unknown_parent", "strange_log_time", "over_long", "outside_slice", "model_renamed",  "spread"};
  return names[static_cast<std::size_t>(cause)];
}

std::string_view to_string(RowFate fate) {
  switch (fate) {
    case RowFate::kept: return "kept";
    case RowFate::repaired: return "repaired";
    case RowFate::dropped: return "dropped";
  }
  return "kept";
}

void RowCounts::add(RowCause cause, RowFate fate, std::uint64_t line, std::string_view what) {
  constexpr std::size_t most_examples = 5;
  auto count = std::ranges::find_if(counts_, [&](const RowCount& known) { return known.cause == cause && known.fate == fate; });
  if (count == counts_.end()) count = counts_.insert(counts_.end(), RowCount{cause, fate, 0, {}});
  ++count->rows;
  if (count->examples.size() < most_examples) count->examples.push_back({line, std::string(what)});
}

std::uint64_t RowCounts::rows(RowCause cause) const {
  std::uint64_t rows = 0;
  for (const RowCount& count : counts_) {
    if (count.cause == cause) rows += count.rows;
  }
  return rows;
}

std::uint64_t RowCounts::dropped() const {
  std::uint64_t rows = 0;
  for (const RowCount& count : counts_) {
    if (count.fate == RowFate::dropped) rows += count.rows;
  }
  return rows;
}

}  // namespace rackwright::traces
