#include "sim/cli/trace_inspect_verb.h"

#include "sim/cli/console.h"
#include "traces/statistics/trace_statistics.h"

namespace rackwright::cli {

ExitCode TraceInspectVerb::run(Console& console) {
  Diagnostics diagnostics;
  const auto source = input_.open(diagnostics);
  console.show(diagnostics);
  if (!source) return ExitCode::bad_input;
  const traces::TraceStatistics statistics = traces::inspect(*source);
  if (console.format() == Format::json) {
    console.out() << "{\"report\": " << traces::to_json(source->report())
                  << ",\n\"statistics\": " << traces::to_json(statistics) << "}\n";
  } else {
    console.out() << traces::to_text(source->report()) << traces::to_text(statistics);
  }
  return ExitCode::ok;
}

}  // namespace rackwright::cli
