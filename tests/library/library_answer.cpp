#include "tests/library/library_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scenarios/library/scenario_library.h"
#include "tests/support/scenario_run.h"

namespace rackwright::test {

const results::RunSummary& LibraryRuns::of(const std::string& scenario, const std::vector<scenarios::Setting>& settings) {
  std::string key = scenario;
  for (const scenarios::Setting& setting : settings) key += "\n" + setting.path + "=" + setting.value;
  const auto [run, is_new] = runs_.try_emplace(key);
  if (is_new) run->second = run_scenario_file(std::string(RACKWRIGHT_SOURCE_DIR) + "/scenarios/library/" + scenario, settings).summary;
  return run->second;
}

std::string library_page(const LibraryChapter& chapter, LibraryRuns& runs) {
  std::string page = fmt::format("# {}\n\n{}\nWritten by `write_library_pages`: every figure is of a run, and a test fails when one has changed.\n", chapter.title, chapter.about);
  const std::vector<scenarios::LibraryScenario> library = scenarios::library_scenarios();
  for (const LibraryAnswer& answer : chapter.answers) {
    const auto scenario = std::ranges::find(library, answer.scenario, &scenarios::LibraryScenario::path);
    if (scenario == library.end() || scenario->question.empty()) throw std::runtime_error(answer.scenario + " has no question");
    page += fmt::format("\n## {}\n\n{}\n\n```\nrackwright run scenarios/library/{}\n```\n\n{}\n", scenario->title, scenario->question, answer.scenario, answer.text(runs));
  }
  for (const scenarios::LibraryScenario& scenario : library) {
    if (scenario.category == chapter.folder && std::ranges::find(chapter.answers, scenario.path, &LibraryAnswer::scenario) == chapter.answers.end())
      throw std::runtime_error(scenario.path + " has no answer");
  }
  return page;
}

std::string as_long_as(bool holds, std::string words) {
  if (!holds) throw std::runtime_error("no longer holds: " + words);
  return words;
}

const results::PoolSummary& pool_of(const results::RunSummary& summary, const std::string& name) {
  const auto pool = std::ranges::find(summary.pools, name, &results::PoolSummary::name);
  if (pool == summary.pools.end()) throw std::runtime_error("no pool " + name);
  return *pool;
}

const results::DecodeBatch& decode_at(const results::PoolSummary& pool, double sequences) {
  if (pool.decode_batches.empty()) throw std::runtime_error(pool.name + " decoded nothing");
  return *std::ranges::min_element(pool.decode_batches, {}, [&](const results::DecodeBatch& batch) { return std::abs(batch.sequences - sequences); });
}

double bound_share(const results::BoundShares& shares, const std::string& name) {
  const auto at = std::ranges::find_if(results::bound_names, [&](const char* bound) { return name == bound; });
  if (at == results::bound_names.end()) throw std::runtime_error("nothing is bound by " + name);
  return shares[static_cast<std::size_t>(at - results::bound_names.begin())];
}

}  // namespace rackwright::test
