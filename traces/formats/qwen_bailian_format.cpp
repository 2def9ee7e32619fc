#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) {
  if (!sample.has_all({"timestamp", "input_length", "output_length"})) return false;
  const bool fraction = sample.value("timestamp").find('.') != std::string_view::npos;
  return sample.has("chat_id") || (fraction && sample.has("hash_ids"));
}

/// Seconds with a fraction; hash_ids of 16-token blocks; parent_chat_id is the previous turn, -1 for the first.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"timestamp", TimeUnit::seconds}};
  m[Field::input_tokens] = {"input_length"};
  m[Field::output_tokens] = {"output_length"};
  m[Field::request_class] = {"type"};
  m[Field::id] = {"chat_id"};
  m[Field::parent] = {"parent_chat_id"};
  m[Field::block_hashes] = {"hash_ids"};
  m.block_tokens = 16;
  return m;
}

}  // namespace

constinit const TraceFormat qwen_bailian_format{"qwen-bailian", "Qwen-Bailian usage traces with 16-token prefix blocks and turns", recognises, mapping};

}  // namespace rackwright::traces
