#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/results/damaged_stream.h"
#include "scenarios/results/duration_curve.h"
#include "scenarios/results/live_sample.h"
#include "scenarios/results/record_file.h"
#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_description.h"
#include "scenarios/results/timeline.h"

namespace rackwright::results {

struct StreamWarning {
  std::string text;
};

/// The last record of a stream. `requests` rows came before it.
struct StreamEnd {
  std::string summary_json;
  std::int64_t requests = 0;
};

/// What a stream holds, the description first and the end last.
using StreamRecord =
    std::variant<RunDescription, LiveSample, std::vector<RequestOutcome>, Timeline, DurationCurve, StreamWarning, StreamEnd>;

/// Writes run.pb (scenarios/schema/run.proto). Throws EnvironmentError when the file cannot be written.
class RunStreamWriter {
 public:
  RunStreamWriter(const std::filesystem::path& path, const RunDescription& run);
  ~RunStreamWriter();

  void add(const RequestOutcome& request);
  void add(const LiveSample& sample);
  void add(const Timeline& timeline);
  void add(const DurationCurve& curve);
  void add(const StreamWarning& warning);
  /// Writes the end marker and closes the file; nothing can be added after it.
  void end(const std::string& summary_json);
  /// Hands what there is to the system, so that whoever follows the file sees it.
  void flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads run.pb, also while it is being written.
class RunStreamReader {
 public:
  /// Throws EnvironmentError when the file cannot be opened.
  explicit RunStreamReader(const std::filesystem::path& path);
  ~RunStreamReader();

  /// The next whole record, or nothing when the file holds no more at present; ask again once it grew.
  /// Throws DamagedStream, and EnvironmentError when reading fails.
  std::optional<StreamRecord> next();
  /// Whether the end marker was read.
  bool ended() const { return ended_; }
  /// Bytes after the last whole record: above 0, the stream broke off inside a record.
  std::size_t bytes_left() const { return records_.bytes_left(); }

 private:
  RecordFile records_;
  RunDescription run_;  ///< What the header said: rows are checked against it.
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace rackwright::results
