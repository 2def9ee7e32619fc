#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "tests/support/catch.h"

using namespace rackwright;

namespace {

scenarios::CheckedScenario on_eight(const std::string& device) {
  return scenarios::check_scenario("scenario.yaml",
                                   fmt::format("schema: rackwright/v1\n"
                                               "workload: {{generator: azure-conversation-2023, rate: 2 /s, requests: 2}}\n"
                                               "facility: {{racks: [{{name: a, rack: {{node: {{device: {}, devices: 8}}, nodes: 1, scale_up: {{devices: 8, latency: 2 us}}}}}}]}}\n"
                                               "deployment: [{{pool: one, model: qwen3-0.6b, on: a, replicas: 1}}]\n",
                                               device),
                                   {}, scenarios::Catalog());
}

std::set<std::string> racks_with_errors() {
  const scenarios::Catalog catalog;
  std::set<std::string> names;
  for (const std::string& rack : catalog.names("rack")) {
    const auto checked = scenarios::check_scenario("scenario.yaml",
                                                   fmt::format("schema: rackwright/v1\n"
                                                               "workload: {{generator: azure-conversation-2023, rate: 2 /s, requests: 2}}\n"
                                                               "facility: {{racks: [{{name: a, rack: {}}}]}}\n"
                                                               "deployment: [{{pool: one, model: qwen3-0.6b, on: a, replicas: 1}}]\n",
                                                               rack),
                                                   {}, catalog);
    if (checked.diagnostics.has_errors()) names.insert(rack);
  }
  return names;
}

}  // namespace

TEST_CASE("Every device of the catalog runs a small model, or the check names what the catalog does not know of it") {
  const scenarios::Catalog catalog;
  std::set<std::string> unknown;
  for (const std::string& device : catalog.names("device")) {
    const scenarios::CheckedScenario checked = on_eight(device);
    for (const Diagnostic& finding : checked.diagnostics.all()) {
      if (finding.severity != Severity::error) continue;
      INFO(to_string(finding));
      CHECK(finding.message.find("the catalog does not know ") == 0);
      CHECK(finding.message.find(" of " + device) != std::string::npos);
      CHECK_FALSE(finding.hint.empty());
      unknown.insert(device);
    }
  }
  // No public source states their dense rate in 16 bits, or the bandwidth of the SRAM of SN40L, in which this model fits.
  CHECK(unknown == std::set<std::string>{"rubin-cpx", "rubin-ultra", "sn40l", "tpu-8i", "tpu-8t", "vera"});
}

TEST_CASE("Every rack of the catalog runs a small model, unless a figure of its device is unknown") {
  CHECK(racks_with_errors() == std::set<std::string>{"kyber-nvl576", "sambarack-sn40l-16"});
}
