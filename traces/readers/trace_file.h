#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "traces/readers/arrival_order.h"
#include "traces/readers/lineage.h"
#include "traces/readers/open_trace.h"
#include "traces/readers/row_cleaner.h"
#include "traces/readers/survey.h"

namespace rackwright::traces {

/// A trace whose rows can be read from the start as often as needed.
class TraceFile final : public TraceSource {
 public:
  using RowOpener = std::function<std::unique_ptr<RowSource>(const ColumnMapping& mapping)>;

  /// Reads everything once. What is wrong with the bytes as a whole is in `problem`.
  TraceFile(RowOpener open, ColumnMapping mapping, TraceOptions options, TraceReport report);

  bool next(Request& request) override;
  std::string_view name(std::uint32_t id) const override { return names_.name(id); }
  std::optional<std::uint64_t> size() const override { return report_.requests; }
  const TraceReport& report() const override { return report_; }
  const std::string& problem() const { return problem_; }

 private:
  Survey look_through();
  void read_rows(Survey& survey);
  void prepare(Survey& survey);
  bool next_row(CleanRow& row);

  RowOpener open_;
  ColumnMapping mapping_;
  TraceOptions options_;
  TraceReport report_;
  std::string problem_;
  StringTable names_;
  std::optional<Lineage> lineage_;
  Instant origin_;

  HeldRows held_;  ///< All rows of a small file, in order.
  std::unique_ptr<RowSource> rows_;  ///< The second reading of a larger one.
  RowCounts counts_again_;           ///< The same counts once more; nobody reads them.
  std::optional<RowCleaner> cleaner_;
  std::unique_ptr<ArrivalOrder> order_;
  bool ended_ = false;  ///< The second reading is over; `order_` may still hold rows.
  std::uint64_t rows_given_ = 0;
  std::uint64_t requests_given_ = 0;
  RawRow raw_;
  CleanRow row_;
};

}  // namespace rackwright::traces
