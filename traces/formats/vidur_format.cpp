#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"arrived_at", "num_prefill_tokens", "num_decode_tokens"}); }

ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"arrived_at", TimeUnit::seconds}};
  m[Field::input_tokens] = {"num_prefill_tokens"};
  m[Field::output_tokens] = {"num_decode_tokens"};
  m[Field::session] = {"session_id"};
  return m;
}

}  // namespace

constinit const TraceFormat vidur_format{"vidur", "Vidur's processed traces (microsoft/vidur)", recognises, mapping};

}  // namespace rackwright::traces
