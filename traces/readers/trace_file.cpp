#include "traces/readers/trace_file.h"

#include <algorithm>
#include <utility>

namespace rackwright::traces {
namespace {

/// Rows of one sorted run on disk, in units of what may be held in memory: longer runs, fewer open files.
constexpr std::size_t run_factor = 4;

std::optional<ParentKind> parent_kind(const ColumnMapping& mapping) {
  if (mapping.other_events) return ParentKind::span;
  if (mapping.canonical) return ParentKind::stated;
  if (!mapping[Field::parent].empty()) return ParentKind::turn;
  return std::nullopt;
}

}  // namespace

TraceFile::TraceFile(RowOpener open, ColumnMapping mapping, TraceOptions options, TraceReport report)
    : open_(std::move(open)), mapping_(std::move(mapping)), options_(std::move(options)), report_(std::move(report)) {
  if (const std::optional<ParentKind> kind = parent_kind(mapping_)) lineage_.emplace(*kind, options_.dependents);
  report_.has_parents = lineage_.has_value() && options_.dependents == Dependents::after_parent;
  Survey survey = look_through();
  prepare(survey);
}

Survey TraceFile::look_through() {
  const std::optional<ParentKind> kind = parent_kind(mapping_);
  Survey survey(options_.rows_in_memory, kind && *kind != ParentKind::span);
  read_rows(survey);
  // The canonical form counts from its stream's start, which may lie before its first arrival.
  origin_ = mapping_.canonical ? std::min(Instant{}, survey.first()) : survey.first();
  if (survey.requests() == 0 || survey.last() - origin_ < SimTime::max()) return survey;
  // Only now is it known which rows lie beyond the horizon.
  report_.rows = 0;
  report_.counts = {};
  Survey bounded(options_.rows_in_memory, kind && *kind != ParentKind::span);
  bounded.set_origin(origin_);
  read_rows(bounded);
  return bounded;
}

void TraceFile::read_rows(Survey& survey) {
  const std::unique_ptr<RowSource> rows = open_(mapping_);
  RowCleaner cleaner(mapping_, options_, names_, report_.counts);
  while (rows->next(raw_)) {
    ++report_.rows;
    if (!cleaner.clean(raw_, row_)) continue;
    row_.position = report_.rows;
    survey.add(row_, report_.counts);
  }
  survey.finish(report_.counts);
  const LineMarks marks = rows->marks();
  report_.byte_order_mark = marks.byte_order_mark;
  report_.crlf = marks.crlf;
  report_.final_newline = marks.final_newline;
  report_.bytes = rows->bytes_read();
  report_.requests = survey.requests();
  report_.tool_calls = survey.tools();
  report_.has_block_hashes = survey.has_block_hashes();
  report_.has_speech = survey.has_speech();
  report_.tools.clear();
  for (const std::uint32_t tool : survey.tool_names()) report_.tools.emplace_back(names_.name(tool));
  report_.lateness = survey.lateness();
  problem_ = rows->problem();
  if (survey.requests() == 0) return;
  report_.first_arrival = to_string(survey.first());
  report_.last_arrival = to_string(survey.last());
  report_.span = survey.last() - survey.first();
}

void TraceFile::prepare(Survey& survey) {
  if (survey.rows() <= options_.rows_in_memory) {
    held_ = survey.take_rows();
    if (survey.lateness() > SimTime{}) held_.sort();
    return;
  }
  rows_ = open_(mapping_);
  cleaner_.emplace(mapping_, options_, names_, counts_again_);
  if (survey.lateness() == SimTime{}) return;
  // On average the rows of the span `lateness` wait in the heap; a horizon-long lateness has no smaller bound.
  const double share = survey.lateness().seconds() / std::max(report_.span.seconds(), survey.lateness().seconds());
  const bool fits = share * static_cast<double>(survey.rows()) <= static_cast<double>(options_.rows_in_memory);
  order_ = fits && survey.lateness() < SimTime::max() ? order_within(survey.lateness())
                                                      : order_through_files(run_factor * options_.rows_in_memory);
}

/// The next row in order of arrival.
bool TraceFile::next_row(CleanRow& row) {
  if (!rows_) return held_.next(row);
  if (order_ && order_->pop(row)) return true;
  while (!ended_ && rows_->next(raw_)) {
    ++rows_given_;
    if (!cleaner_->clean(raw_, row)) continue;
    row.position = rows_given_;
    if (row.arrival - origin_ == SimTime::max()) continue;
    if (!order_) return true;
    order_->push(std::move(row));
    if (order_->pop(row)) return true;
  }
  if (std::exchange(ended_, true) || !order_) return false;
  order_->close();
  return order_->pop(row);
}

bool TraceFile::next(Request& request) {
  while (true) {
    if (!next_row(row_)) return false;
    if (!row_.is_tool) break;
    lineage_->note_tool(row_, row_.arrival - origin_);
  }
  row_.request.id = requests_given_++;
  row_.request.arrival = row_.arrival - origin_;
  row_.request.parent.reset();
  row_.request.think_time = {};
  row_.request.logged = {};
  const SimTime left = SimTime::max() - row_.request.arrival;
  if (row_.first_token_after && *row_.first_token_after < left) row_.request.logged.first_token = row_.request.arrival + *row_.first_token_after;
  if (row_.completion_after && *row_.completion_after < left) row_.request.logged.completion = row_.request.arrival + *row_.completion_after;
  if (lineage_) lineage_->settle(row_, row_.request);
  std::swap(request, row_.request);
  return true;
}

}  // namespace rackwright::traces
