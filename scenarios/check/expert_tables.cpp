#include "scenarios/check/expert_tables.h"

#include <filesystem>

#include <fmt/format.h>

#include "models/base/hash.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/expert_reader.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/input_files.h"

namespace rackwright::scenarios {

void read_expert_tables(const v1::Scenario& scenario, const std::string& scenario_file, std::vector<PoolSpec>& pools,
                        std::vector<results::InputFile>& inputs, Findings& findings) {
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const v1::Experts& written = scenario.deployment(static_cast<int>(i)).experts();
    const int experts = expert_count(pools[i].model);
    if (experts == 0 || pools[i].dataflow || pools[i].step_times) continue;
    if (effective_choice<v1::ExpertLoad>(written, v1::Experts::kLoadFieldNumber) != v1::EXPERT_LOAD_TABLE) continue;
    const std::string path = fmt::format("deployment[{}].experts.table", i);
    if (!written.has_table()) {
      findings.error(fmt::format("deployment[{}].experts", i), "no table says how often experts are chosen", "give 'table', a CSV file");
      continue;
    }
    const auto found = find_input(written.table(), scenario_file);
    if (!found || !std::filesystem::is_regular_file(*found)) {
      findings.error(path, fmt::format("no file '{}' beside the scenario or under RACKWRIGHT_DATA", written.table()),
                     "give a CSV file with the columns layer, expert and tokens");
      continue;
    }
    std::string content = read_file(*found);
    inputs.push_back({"experts", written.table(), hash64(content)});
    pools[i].parallelism.experts.shares = read_expert_table(found->string(), std::move(content), experts, path, findings);
  }
}

}  // namespace rackwright::scenarios
