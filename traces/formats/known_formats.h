#pragma once

#include "traces/formats/trace_format.h"

namespace rackwright::traces {

// One file each; listed in trace_format.cpp.
extern const TraceFormat canonical_format;
extern const TraceFormat azure_format;
extern const TraceFormat burstgpt_format;
extern const TraceFormat mooncake_format;
extern const TraceFormat qwen_bailian_format;
extern const TraceFormat vidur_format;
extern const TraceFormat litellm_format;
extern const TraceFormat gateway_format;
extern const TraceFormat vllm_format;
extern const TraceFormat inference_perf_format;
extern const TraceFormat otlp_format;

}  // namespace rackwright::traces
