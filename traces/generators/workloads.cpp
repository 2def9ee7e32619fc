#include "traces/generators/workloads.h"

#include <array>

#include "traces/generators/workloads/builtin.h"

namespace rackwright::traces {
namespace {

constexpr std::array<Workload, 4> builtin{{{"azure-conversation-2023", azure_conversation_2023},
                                           {"azure-code-2023", azure_code_2023},
                                           {"mooncake-conversation", mooncake_conversation},
                                           {"burstgpt", burstgpt}}};

GeneratorSpec build(const Workload& workload) {
  GeneratorSpec spec = workload.spec();
  spec.name = workload.name;
  return spec;
}

}  // namespace

std::vector<GeneratorSpec> workloads() {
  std::vector<GeneratorSpec> all;
  for (const Workload& workload : builtin) all.push_back(build(workload));
  return all;
}

std::optional<GeneratorSpec> find_workload(std::string_view name) {
  for (const Workload& workload : builtin) {
    if (workload.name == name) return build(workload);
  }
  return std::nullopt;
}

}  // namespace rackwright::traces
