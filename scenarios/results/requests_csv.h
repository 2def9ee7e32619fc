#pragma once

#include <string>
#include <vector>

#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_description.h"

namespace rackwright::results {

/// Rows of requests.csv, in order of completion. Times are seconds of simulated time to the picosecond;
/// a cell is empty where the request never got that far.
///
/// Columns: id, class, pool, instance, outcome; arrival_s, scheduled_s, first_token_s, last_token_s
/// (instants); queue_s, ttft_s, tpot_s, e2e_s, longest_gap_s (lengths); input_tokens,
/// cached_input_tokens, output_tokens, preemptions; logged_ttft_s, logged_e2e_s (from the log).
class RequestsCsv {
 public:
  explicit RequestsCsv(const RunDescription& run);

  static std::string header();
  /// Appends one line.
  void append(std::string& text, const RequestOutcome& request) const;

 private:
  std::vector<std::string> classes_;  ///< Quoted where a name needs it.
  std::vector<std::string> pools_;
};

/// A CSV cell: in quotes when it holds a comma, a quote or a line break (RFC 4180).
std::string csv_cell(const std::string& text);

}  // namespace rackwright::results
