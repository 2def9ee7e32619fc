#include "scenarios/spec/step_times_reader.h"

#include <algorithm>

#include "scenarios/schema/deployment.pb.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/step_times.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

using Points = google::protobuf::RepeatedPtrField<v1::StepTimePoint>;

std::vector<cost::TimePoint> table(const Points& written, const std::string& path, Findings& findings) {
  std::vector<cost::TimePoint> points;
  for (const v1::StepTimePoint& point : written) points.push_back({static_cast<double>(point.tokens()), point.time()});
  const auto not_above = [](auto member) {
    return [member](const cost::TimePoint& a, const cost::TimePoint& b) { return a.*member >= b.*member; };
  };
  if (std::ranges::adjacent_find(points, not_above(&cost::TimePoint::tokens)) != points.end()) findings.error(path, "the tokens must ascend");
  if (!std::ranges::is_sorted(points, {}, &cost::TimePoint::seconds)) findings.error(path, "a step with more tokens cannot be shorter");
  return points;
}

/// A table without points, or nothing at all, is no time; a time of zero is.
void expect_a_time(bool is_given, const std::string& path, Findings& findings) {
  if (!is_given) findings.error(path, "no time is stated", "give a time, or a table with at least one point");
}

cost::StatedStepTimes::Prefill prefill_times(const v1::PrefillTimes& written, const std::string& path, Findings& findings) {
  using Field = v1::PrefillTimes;
  expect_a_time(written.has_constant() || written.has_per_token() || written.has_per_token_squared() || written.table_size() > 0, path, findings);
  return {effective_quantity(written, Field::kConstantFieldNumber), effective_quantity(written, Field::kPerTokenFieldNumber),
          effective_quantity(written, Field::kPerTokenSquaredFieldNumber), table(written.table(), path + ".table", findings)};
}

cost::StatedStepTimes::Decode decode_times(const v1::DecodeTimes& written, const std::string& path, Findings& findings) {
  using Field = v1::DecodeTimes;
  expect_a_time(written.has_constant() || written.has_per_sequence() || written.has_per_context_token() || written.table_size() > 0, path, findings);
  return {effective_quantity(written, Field::kConstantFieldNumber), effective_quantity(written, Field::kPerSequenceFieldNumber),
          effective_quantity(written, Field::kPerContextTokenFieldNumber), table(written.table(), path + ".table", findings)};
}

}  // namespace

cost::StatedStepTimes step_times(const v1::StepTimes& written, const std::string& path, Findings& findings) {
  cost::StatedStepTimes times;
  times.prefill = prefill_times(written.prefill(), path + ".prefill", findings);
  times.decode = decode_times(written.decode(), path + ".decode", findings);
  if (written.has_large_batch() && written.has_large_decode()) {
    times.large_batch = written.large_batch();
    times.large_decode = decode_times(written.large_decode(), path + ".large_decode", findings);
  }
  if (written.has_power()) times.busy_w = written.power();
  return times;
}

void warn_beside_step_times(const v1::Pool& written, const std::string& path, Findings& findings) {
  if (written.has_execution()) findings.warning(path + ".execution", "no effect: steps last as step_times states", "add the host's time to step_times");
  if (written.context_parallel().has_exchange())
    findings.warning(path + ".context_parallel.exchange", "no effect: steps last as step_times states", "add the time of the exchange to step_times");
  if (written.has_stage_link()) findings.warning(path + ".stage_link", "no effect: steps last as step_times states", "add the time between stages to step_times");
}

}  // namespace rackwright::scenarios
