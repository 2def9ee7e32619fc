#include "sim/cli/verbs.h"

#include "sim/cli/report_verb.h"

namespace rackwright::cli {

std::vector<std::unique_ptr<Verb>> all_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<ReportVerb>());
  return verbs;
}

}  // namespace rackwright::cli
