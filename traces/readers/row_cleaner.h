#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/readers/clean_row.h"
#include "traces/readers/open_trace.h"
#include "traces/readers/recent_rows.h"
#include "traces/readers/wrapping_clock.h"
#include "traces/records/string_table.h"
#include "traces/rows/row_source.h"

namespace rackwright::traces {

/// Understands the texts of a row, repairs or refuses it, and counts what it did.
/// The same rows in the same order give the same answers.
class RowCleaner {
 public:
  /// The referenced objects outlive the cleaner.
  RowCleaner(const ColumnMapping& mapping, const TraceOptions& options, StringTable& names, RowCounts& counts);

  /// False when the row is dropped.
  bool clean(const RawRow& raw, CleanRow& row);

 private:
  bool read(const RawRow& raw, CleanRow& row);
  bool read_tokens(const RawRow& raw, Request& request);
  bool read_count(const RawRow& raw, Field field, std::int64_t& count);
  bool read_time(const RawRow& raw, Field field, Instant& instant);
  bool read_duration(const RawRow& raw, Field field, SimTime& duration);
  bool read_generation(const RawRow& raw, CleanRow& row);
  bool read_tools(const RawRow& raw, CleanRow& row);
  bool clean_tool(const RawRow& raw, CleanRow& row);
  std::uint64_t key_of_session(std::string_view text) const;
  void read_logged_times(const RawRow& raw, CleanRow& row);
  std::optional<SimTime> since_arrival(const RawRow& raw, Field field, Instant arrival);
  std::uint32_t name(std::string_view text, std::uint64_t line);
  bool is_failed(const RawRow& raw) const;
  bool drop(RowCause cause, const RawRow& raw, std::string_view what = {});

  const ColumnMapping& mapping_;
  const TraceOptions& options_;
  StringTable& names_;
  RowCounts& counts_;
  WrappingClock clock_;
  RecentRows recent_;
  std::string problem_;  ///< Kept to save its allocation.
};

}  // namespace rackwright::traces
