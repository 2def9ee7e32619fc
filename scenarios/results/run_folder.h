#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/diagnostic.h"
#include "scenarios/results/output_file.h"
#include "scenarios/results/requests_csv.h"
#include "scenarios/results/run_stream.h"
#include "scenarios/results/run_summary.h"
#include "scenarios/results/steps_writer.h"

namespace rackwright::results {

/// What to do when the final name is taken.
enum class ExistingFolder : std::uint8_t {
  refuse,   ///< EnvironmentError; the command line asks `is_taken` first and says what to do.
  replace,  ///< Only a run folder or an empty folder; anything else is refused.
  number,   ///< The first of "name", "name-2", … that is neither taken nor being written by another run.
};

/// Whether something has this name already. An empty folder does not count.
bool is_taken(const std::filesystem::path& folder);

/// What only the end of a run knows.
struct RunResults {
  RunSummary summary;
  Timeline timeline;
  std::vector<DurationCurve> curves;
};

/// Writes a run folder: summary.json, requests.csv, timeline.csv, scenario.resolved.yaml, run.pb, report.html, and steps.pb
/// when asked to.
///
/// Everything goes to "NAME.partial" beside the final name, and `finish` renames it as the last act:
/// a folder under the final name is whole. What an interrupted run leaves in the partial folder can be
/// read as far as it got; the next run of that name replaces it, unless a process still writes there.
/// Throws EnvironmentError when anything cannot be written.
class RunFolderWriter {
 public:
  RunFolderWriter(std::filesystem::path folder, ExistingFolder existing, const RunDescription& run);
  ~RunFolderWriter();
  RunFolderWriter(const RunFolderWriter&) = delete;
  RunFolderWriter& operator=(const RunFolderWriter&) = delete;

  /// Each request as it leaves the system.
  void add(const RequestOutcome& request);
  void add(const LiveSample& sample) { stream_.add(sample); }
  /// Makes steps.pb a part of the folder; what it returns lives as long as this writer.
  StepsWriter& keep_steps(std::uint32_t instances);

  /// Writes the rest and gives the folder its final name.
  void finish(const RunResults& results, const std::string& report_html);
  /// Writes the rest into the partial folder, for a run that was cancelled or stopped, and leaves it there.
  void keep_partial(const RunResults& results, const std::string& report_html);

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& partial_folder() const { return partial_; }

 private:
  /// A name with its partial folder, empty and locked.
  struct Claim {
    std::filesystem::path folder;
    std::filesystem::path partial;
    int lock = -1;
  };
  RunFolderWriter(Claim claim, ExistingFolder existing, const RunDescription& run);
  static Claim claim(const std::filesystem::path& folder, ExistingFolder existing);
  static Claim claim_number(const std::filesystem::path& folder);

  void write_rest(const RunResults& results, const std::string& report_html);
  void take_final_name() const;
  void remove_lock(const std::filesystem::path& folder) const;

  const std::filesystem::path folder_;
  const std::filesystem::path partial_;
  const ExistingFolder existing_;
  const int lock_;  ///< Held while this writer lives, so that no other run clears the partial folder.
  RequestsCsv rows_;
  OutputFile requests_;
  RunStreamWriter stream_;
  std::unique_ptr<StepsWriter> steps_;  ///< Null unless they are kept.
};

/// A run as read back from its stream.
struct RunRecord {
  RunDescription run;
  std::optional<RunSummary> summary;  ///< Absent when the stream has no end.
  Timeline timeline;
  std::vector<DurationCurve> curves;
  std::vector<LiveSample> samples;
  std::int64_t requests = 0;   ///< Rows in the stream.
  std::string partial_reason;  ///< Empty for a stream with its end, else a sentence about what is missing.

  bool is_partial() const { return !partial_reason.empty(); }
};

/// Reads a run folder, a partial one, or a run.pb. `on_requests` sees the rows in chunks, so that
/// millions of them need no memory. Nothing and an error in `diagnostics` when there is no run; damage
/// after the first record makes the record partial. Throws EnvironmentError when reading fails.
std::optional<RunRecord> read_run(
    const std::filesystem::path& folder_or_stream, Diagnostics& diagnostics,
    const std::function<void(const RunDescription&, std::span<const RequestOutcome>)>& on_requests = {});

}  // namespace rackwright::results
