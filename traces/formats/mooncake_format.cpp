#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

/// Without chat ids a Bailian file has the same fields but seconds; a fraction in the first time leaves both open.
bool recognises(const TraceSample& sample) {
  return sample.has_all({"timestamp", "input_length", "output_length"}) && !sample.has("chat_id");
}

/// Integer milliseconds; hash_ids of 512-token blocks, the last one partial (Mooncake, FAST'25).
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"timestamp", TimeUnit::milliseconds}};
  m[Field::input_tokens] = {"input_length"};
  m[Field::output_tokens] = {"output_length"};
  m[Field::block_hashes] = {"hash_ids"};
  m[Field::session] = {"session_id"};
  m.block_tokens = 512;
  return m;
}

}  // namespace

constinit const TraceFormat mooncake_format{"mooncake", "Mooncake traces with 512-token prefix blocks (kvcache-ai/Mooncake)", recognises, mapping};

}  // namespace rackwright::traces
