#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/base/diagnostic.h"
#include "models/base/invariant.h"
#include "traces/formats/trace_format.h"
#include "traces/readers/open_trace.h"

namespace {

using namespace rackwright;
using namespace rackwright::traces;

/// Reads the bytes to the end and checks what must hold of any stream.
void read(std::string_view bytes, const TraceOptions& options) {
  Diagnostics diagnostics;
  const auto source = open_trace_bytes("log", bytes, options, diagnostics);
  invariant((source == nullptr) == diagnostics.has_errors(), "a trace opens, or an error says why not");
  if (!source) return;
  const TraceReport& report = source->report();
  Request request;
  std::uint64_t requests = 0;
  SimTime last;
  while (source->next(request)) {
    invariant(request.id == requests++, "ids count up");
    invariant(request.arrival >= last, "arrivals do not decrease");
    invariant(request.input_tokens >= 1 && request.output_tokens >= 1, "a request has tokens");
    invariant(!request.parent || *request.parent < request.id, "a parent comes first");
    invariant(!request.logged.first_token || *request.logged.first_token >= request.arrival, "a logged time follows the arrival");
    last = request.arrival;
  }
  invariant(requests == report.requests, "the report counts what is given out");
  invariant(report.requests + report.counts.dropped() == report.rows, "every row is given out or counted as dropped");
  to_text(report);
  to_json(report);
}

}  // namespace

/// The first byte picks the options, the others are the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  TraceOptions options;
  options.rows_in_memory = (choice & 1) != 0 ? 2 : 65'536;  // Streams and sorts through files.
  const std::size_t format = choice >> 4;
  if (format < trace_formats().size()) options.format = trace_formats()[format]->name;
  if ((choice & 2) != 0) {
    options.zero_input = options.zero_output = ZeroTokens::one;
    options.duplicates = Duplicates::drop;
  }
  if ((choice & 4) != 0) options.clock_period = SimTime{100 * picoseconds_per_second};
  if ((choice & 8) != 0) {
    ColumnMapping& mapping = options.mapping.emplace();
    mapping[Field::arrival] = {{"t.a", TimeUnit::milliseconds}, {"t", TimeUnit::automatic}};
    mapping[Field::input_tokens] = {"i"};
    mapping[Field::output_tokens] = {"o"};
    mapping[Field::model] = {"m"};
    mapping[Field::parent] = {"p"};
    mapping[Field::id] = {"d"};
    mapping[Field::block_hashes] = {"h"};
    if ((choice & 16) != 0) mapping.header = {"t", "i", "o", "m"};
  }
  read(bytes, options);
  return 0;
}
