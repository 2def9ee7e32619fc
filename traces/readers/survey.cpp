#include "traces/readers/survey.h"

#include <algorithm>
#include <utility>

namespace rackwright::traces {

void Survey::add(const CleanRow& row, RowCounts& counts) {
  if (origin_ && row.arrival - *origin_ == SimTime::max()) return counts.add(RowCause::beyond_horizon, RowFate::dropped, row.line);
  if (rows_ == 0) newest_ = row.arrival;
  if (row.arrival < newest_) {
    lateness_ = std::max(lateness_, newest_ - row.arrival);
    counts.add(RowCause::out_of_order, RowFate::repaired, row.line);
  }
  newest_ = std::max(newest_, row.arrival);
  if (row.is_tool) {
    ++tools_;
  } else {
    first_ = requests() == 0 ? row.arrival : std::min(first_, row.arrival);
    last_ = requests() == 0 ? row.arrival : std::max(last_, row.arrival);
  }
  has_block_hashes_ = has_block_hashes_ || !row.request.block_hashes.empty();
  has_speech_ = has_speech_ || row.request.speech.ps > 0;
  for (const ToolStep& step : row.request.tools)
    if (std::ranges::find(tool_names_, step.tool) == tool_names_.end()) tool_names_.push_back(step.tool);
  if (checks_parents_) note_parents(row);
  if (rows_ < holds_) held_.add(row);
  else if (rows_ == holds_) held_.drop();
  ++rows_;
}

void Survey::note_parents(const CleanRow& row) {
  const Place place{row.arrival, row.position, row.line, row.parent_key};
  if (row.id_key == counted_ + 1 && counted_ == rows_ && lateness_ == SimTime{}) ++counted_;
  else if (row.id_key != 0) by_id_.try_emplace(row.id_key, place);
  if (row.parent_key != 0 && (row.parent_key > counted_ || row.parent_key == row.id_key)) children_.push_back(place);
}

void Survey::finish(RowCounts& counts) {
  for (const Place& child : children_) {
    const auto found = by_id_.find(child.parent_key);
    const bool known = found != by_id_.end() && std::pair(found->second.arrival, found->second.position) < std::pair(child.arrival, child.position);
    if (!known) counts.add(RowCause::unknown_parent, RowFate::repaired, child.line);
  }
  by_id_ = {};
  children_ = {};
}

}  // namespace rackwright::traces
