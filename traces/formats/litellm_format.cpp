#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"startTime", "prompt_tokens", "completion_tokens"}); }

/// LiteLLM_SpendLogs, as JSON array, {"data": [...]}, JSON lines or CSV. `model_group` is the name that the client
/// asked for, `model` the deployment that served it. completionStartTime is the first token of a streamed answer.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {"startTime"};
  m[Field::completion] = {"endTime"};
  m[Field::first_token] = {"completionStartTime"};
  m[Field::input_tokens] = {"prompt_tokens"};
  m[Field::output_tokens] = {"completion_tokens"};
  m[Field::model] = {"model_group", "model"};
  m[Field::request_class] = {"call_type"};
  m[Field::session] = {"session_id"};
  m[Field::id] = {"request_id"};
  m[Field::status] = {"status", "metadata.status"};
  m[Field::cached] = {"cache_hit"};
  return m;
}

}  // namespace

constinit const TraceFormat litellm_format{"litellm", "LiteLLM spend logs", recognises, mapping};

}  // namespace rackwright::traces
