#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"arrival_ps", "input_tokens", "output_tokens"}); }

/// The columns that CanonicalWriter writes (docs/models/traces.md).
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {{"arrival_ps", TimeUnit::picoseconds}};
  m[Field::input_tokens] = {"input_tokens"};
  m[Field::output_tokens] = {"output_tokens"};
  m[Field::id] = {"id"};
  m[Field::model] = {"model"};
  m[Field::request_class] = {"class"};
  m[Field::session] = {"session"};
  m[Field::parent] = {"parent"};
  m[Field::think_time] = {{"think_time_ps", TimeUnit::picoseconds}};
  m[Field::first_token] = {{"first_token_ps", TimeUnit::picoseconds}};
  m[Field::completion] = {{"completion_ps", TimeUnit::picoseconds}};
  m[Field::reasoning_tokens] = {"reasoning_tokens"};
  m[Field::acceptance] = {"acceptance"};
  m[Field::speech] = {{"speech_ps", TimeUnit::picoseconds}};
  m[Field::tools] = {"tools"};
  m[Field::block_tokens] = {"block_tokens"};
  m[Field::block_hashes] = {"block_hashes"};
  m.canonical = true;
  return m;
}

}  // namespace

constinit const TraceFormat canonical_format{"canonical", "Rackwright's own form (CSV or JSON lines)", recognises, mapping};

}  // namespace rackwright::traces
