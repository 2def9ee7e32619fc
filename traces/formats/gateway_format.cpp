#include <algorithm>

#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

constexpr auto ms = TimeUnit::milliseconds;
constexpr auto s = TimeUnit::seconds;
constexpr auto since_arrival = TimeMeaning::since_arrival;

/// Access logs of gateways differ in all but the `usage` object that they copy from the OpenAI-style answer.
/// Times without a stated unit ("latency": 3) are not guessed; a column mapping can name them.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {"start_time", "startTime", "request_time", "received_at", "timestamp", "@timestamp",
                       "ts", "time", "created_at", "created", "response.created", "response.body.created"};
  m[Field::input_tokens] = {"usage.prompt_tokens", "usage.input_tokens", "response.usage.prompt_tokens",
                            "response.usage.input_tokens", "response.body.usage.prompt_tokens", "response.body.usage.input_tokens"};
  m[Field::output_tokens] = {"usage.completion_tokens", "usage.output_tokens", "response.usage.completion_tokens",
                             "response.usage.output_tokens", "response.body.usage.completion_tokens", "response.body.usage.output_tokens"};
  // Anthropic-style usage counts these beside input_tokens; OpenAI-style prompt_tokens includes the cached ones.
  m[Field::cache_read_tokens] = {"usage.cache_read_input_tokens", "response.usage.cache_read_input_tokens"};
  m[Field::cache_write_tokens] = {"usage.cache_creation_input_tokens", "response.usage.cache_creation_input_tokens"};
  m[Field::model] = {"model", "request.model", "body.model", "response.model", "response.body.model"};
  m[Field::request_class] = {"class", "service_tier", "request.service_tier"};
  m[Field::session] = {"session_id", "conversation_id", "thread_id", "metadata.session_id", "metadata.conversation_id"};
  m[Field::id] = {"request_id", "id", "custom_id"};
  m[Field::first_token] = {{"first_token_at"}, {"first_token_time"},
                           {"ttft_ms", ms, since_arrival}, {"time_to_first_token_ms", ms, since_arrival},
                           {"first_token_latency_ms", ms, since_arrival}, {"ttft_s", s, since_arrival}};
  m[Field::completion] = {{"end_time"}, {"endTime"}, {"completed_at"}, {"latency_ms", ms, since_arrival},
                          {"duration_ms", ms, since_arrival}, {"response_time_ms", ms, since_arrival},
                          {"total_time_ms", ms, since_arrival}, {"latency_s", s, since_arrival}, {"duration_s", s, since_arrival}};
  m[Field::status] = {"status_code", "status", "response.status_code", "http_status"};
  m[Field::error] = {"error", "error.message", "error.type", "error.code", "response.error.message"};
  m[Field::cached] = {"cache_hit"};
  return m;
}

bool recognises(const TraceSample& sample) {
  const ColumnMapping m = mapping();
  const auto any = [&](Field field) {
    return std::ranges::any_of(m[field], [&](const Column& column) {
      const std::string_view usage = std::string_view(column.name).substr(0, column.name.rfind('.'));
      return sample.has(column.name) || sample.value(usage).starts_with('{');
    });
  };
  return any(Field::input_tokens) && any(Field::output_tokens);
}

}  // namespace

constinit const TraceFormat gateway_format{"gateway", "Access logs with an OpenAI-style usage object", recognises, mapping};

}  // namespace rackwright::traces
