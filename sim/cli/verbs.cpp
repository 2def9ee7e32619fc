#include "sim/cli/verbs.h"

#include "sim/cli/calibrate_verb.h"
#include "sim/cli/check_verb.h"
#include "sim/cli/explain_verb.h"
#include "sim/cli/list_verb.h"
#include "sim/cli/model_inspect_verb.h"
#include "sim/cli/report_verb.h"
#include "sim/cli/run_verb.h"
#include "sim/cli/show_verb.h"
#include "sim/cli/topology_build_verb.h"
#include "sim/cli/topology_export_verb.h"
#include "sim/cli/topology_import_verb.h"
#include "sim/cli/topology_inspect_verb.h"
#include "sim/cli/trace_convert_verb.h"
#include "sim/cli/trace_generate_verb.h"
#include "sim/cli/trace_inspect_verb.h"

namespace rackwright::cli {

std::vector<std::unique_ptr<Verb>> all_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<RunVerb>());
  verbs.push_back(std::make_unique<CheckVerb>());
  verbs.push_back(std::make_unique<ExplainVerb>());
  verbs.push_back(std::make_unique<ListVerb>());
  verbs.push_back(std::make_unique<ShowVerb>());
  verbs.push_back(std::make_unique<ReportVerb>());
  verbs.push_back(std::make_unique<CalibrateVerb>());
  verbs.push_back(std::make_unique<ModelInspectVerb>());
  verbs.push_back(std::make_unique<TraceInspectVerb>());
  verbs.push_back(std::make_unique<TraceConvertVerb>());
  verbs.push_back(std::make_unique<TraceGenerateVerb>());
  verbs.push_back(std::make_unique<TopologyInspectVerb>());
  verbs.push_back(std::make_unique<TopologyBuildVerb>());
  verbs.push_back(std::make_unique<TopologyImportVerb>());
  verbs.push_back(std::make_unique<TopologyExportVerb>());
  return verbs;
}

}  // namespace rackwright::cli
