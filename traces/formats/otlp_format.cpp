#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"spanId", "startTimeUnixNano"}); }

/// OTLP JSON: spans at any depth, attributes as key-value lists, 64-bit numbers as texts or numbers. GenAI names of
/// both generations (input_tokens, and prompt_tokens before), and vLLM's time to first token (s). Spans of
/// tools (execute_tool, with gen_ai.tool.name) become steps before the request that follows them.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"startTimeUnixNano", TimeUnit::nanoseconds}};
  m[Field::completion] = {{"endTimeUnixNano", TimeUnit::nanoseconds}};
  m[Field::first_token] = {{"attributes.gen_ai.latency.time_to_first_token", TimeUnit::seconds, TimeMeaning::since_arrival}};
  m[Field::input_tokens] = {"attributes.gen_ai.usage.input_tokens", "attributes.gen_ai.usage.prompt_tokens"};
  m[Field::output_tokens] = {"attributes.gen_ai.usage.output_tokens", "attributes.gen_ai.usage.completion_tokens"};
  m[Field::model] = {"attributes.gen_ai.request.model", "attributes.gen_ai.response.model"};
  m[Field::request_class] = {"attributes.gen_ai.operation.name"};
  m[Field::session] = {"attributes.gen_ai.conversation.id", "attributes.session.id", "traceId"};
  m[Field::id] = {"spanId"};
  m[Field::parent] = {"parentSpanId"};
  m[Field::reasoning_tokens] = {"attributes.gen_ai.usage.reasoning_tokens", "attributes.gen_ai.usage.reasoning.output_tokens"};
  m[Field::tool] = {"attributes.gen_ai.tool.name", "attributes.tool.name"};
  m[Field::status] = {"status.code"};
  m.failed = {"2", "STATUS_CODE_ERROR"};
  m.other_events = true;
  return m;
}

}  // namespace

constinit const TraceFormat otlp_format{"otlp", "OpenTelemetry spans with GenAI attributes (OTLP JSON)", recognises, mapping};

}  // namespace rackwright::traces
