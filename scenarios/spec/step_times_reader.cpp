#include "scenarios/spec/step_times_reader.h"

#include <algorithm>

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

cost::StatedStepTimes::Prefill prefill_times(const v1::PrefillTimes& written, const std::string& path, Findings& findings) {
  using Field = v1::PrefillTimes;
  return {effective_quantity(written, Field::kConstantFieldNumber), effective_quantity(written, Field::kPerTokenFieldNumber),
          effective_quantity(written, Field::kPerTokenSquaredFieldNumber), table(written.table(), path + ".table", findings)};
}

cost::StatedStepTimes::Decode decode_times(const v1::DecodeTimes& written, const std::string& path, Findings& findings) {
  using Field = v1::DecodeTimes;
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

}  // namespace rackwright::scenarios
