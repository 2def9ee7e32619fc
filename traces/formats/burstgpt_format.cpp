#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"Timestamp", "Request tokens", "Response tokens"}); }

/// Seconds from midnight of the first day. Release 2.0 inserts "Session ID" and "Elapsed time" (s until the response
/// was complete) behind the timestamp. "Response tokens" of 0 is a failed request.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"Timestamp", TimeUnit::seconds}};
  m[Field::input_tokens] = {"Request tokens"};
  m[Field::output_tokens] = {"Response tokens"};
  m[Field::model] = {"Model"};
  m[Field::request_class] = {"Log Type"};
  m[Field::session] = {"Session ID"};
  m[Field::completion] = {{"Elapsed time", TimeUnit::seconds, TimeMeaning::since_arrival}};
  return m;
}

}  // namespace

constinit const TraceFormat burstgpt_format{"burstgpt", "BurstGPT, releases 1 and 2 (HPMLL/BurstGPT)", recognises, mapping};

}  // namespace rackwright::traces
