#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"arrival_time", "input_toks", "output_toks"}); }

/// Per-request records of a vLLM run (casys-kaist/LLMServingSim). Two clocks in a row: arrival_time since 1970,
/// the others on the engine's own clock, to which queued_ts is the nearest reading of the arrival.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"arrival_time", TimeUnit::seconds}};
  m[Field::input_tokens] = {"input_toks"};
  m[Field::output_tokens] = {"output_toks"};
  m[Field::id] = {"request_id"};
  m[Field::clock] = {{"queued_ts", TimeUnit::seconds}};
  m[Field::first_token] = {{"first_token_ts", TimeUnit::seconds}};
  m[Field::completion] = {{"last_token_ts", TimeUnit::seconds}};
  return m;
}

}  // namespace

constinit const TraceFormat vllm_format{"vllm-requests", "Per-request times of a vLLM run (LLMServingSim's recorder)", recognises, mapping};

}  // namespace rackwright::traces
