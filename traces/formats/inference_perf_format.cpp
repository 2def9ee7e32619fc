#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"span_id", "start_time"}) && !sample.has("startTimeUnixNano"); }

/// Span files of inference-perf: {"spans": [{..., "attributes": {flat}}]}, GenAI names of both generations.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {"start_time"};
  m[Field::completion] = {"end_time"};
  m[Field::input_tokens] = {"attributes.gen_ai.usage.input_tokens", "attributes.gen_ai.usage.prompt_tokens"};
  m[Field::output_tokens] = {"attributes.gen_ai.usage.output_tokens", "attributes.gen_ai.usage.completion_tokens"};
  m[Field::model] = {"attributes.gen_ai.request.model", "attributes.gen_ai.response.model"};
  m[Field::request_class] = {"attributes.gen_ai.operation.name"};
  m[Field::session] = {"attributes.gen_ai.conversation.id", "attributes.session.id", "trace_id"};
  m[Field::id] = {"span_id"};
  m[Field::parent] = {"parent_span_id"};
  m[Field::reasoning_tokens] = {"attributes.gen_ai.usage.reasoning_tokens", "attributes.gen_ai.usage.reasoning.output_tokens"};
  m[Field::tool] = {"attributes.gen_ai.tool.name", "attributes.tool.name"};
  m[Field::status] = {"status.code"};
  m.failed = {"2"};
  m.other_events = true;
  return m;
}

}  // namespace

constinit const TraceFormat inference_perf_format{"inference-perf", "Span files of inference-perf", recognises, mapping};

}  // namespace rackwright::traces
