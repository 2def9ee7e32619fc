#include "sim/cli/verbs.h"

#include "sim/cli/report_verb.h"
#include "sim/cli/run_verb.h"
#include "sim/cli/trace_convert_verb.h"
#include "sim/cli/trace_generate_verb.h"
#include "sim/cli/trace_inspect_verb.h"

namespace rackwright::cli {

std::vector<std::unique_ptr<Verb>> all_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<RunVerb>());
  verbs.push_back(std::make_unique<ReportVerb>());
  verbs.push_back(std::make_unique<TraceInspectVerb>());
  verbs.push_back(std::make_unique<TraceConvertVerb>());
  verbs.push_back(std::make_unique<TraceGenerateVerb>());
  return verbs;
}

}  // namespace rackwright::cli
