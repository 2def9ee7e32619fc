#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scenarios/check/checked_scenario.h"
#include "scenarios/results/run_summary.h"

namespace rackwright::test {

/// Runs of the library's scenarios, each made once.
class LibraryRuns {
 public:
  /// `scenario` is a path below scenarios/library.
  const results::RunSummary& of(const std::string& scenario, const std::vector<scenarios::Setting>& settings = {});

 private:
  std::map<std::string, results::RunSummary> runs_;
};

/// What a scenario of the library answers, in a line: figures come from runs, and words from what holds in them.
struct LibraryAnswer {
  std::string scenario;
  std::function<std::string(LibraryRuns&)> text;
};

/// A folder of the library, and the page about it.
struct LibraryChapter {
  std::string folder;
  std::string title;
  std::string about;
  std::vector<LibraryAnswer> answers;  ///< In the order of the page.
};

LibraryChapter tutorial_chapter();
LibraryChapter disaggregation_chapter();
LibraryChapter mixed_chapter();
LibraryChapter network_chapter();

/// The text of README.md in the chapter's folder: question, command and answer of each scenario.
/// Throws std::runtime_error when a scenario of the folder has no answer or no question, or when words no longer hold.
std::string library_page(const LibraryChapter& chapter, LibraryRuns& runs);

/// The words, as long as they hold.
std::string as_long_as(bool holds, std::string words);

const results::PoolSummary& pool_of(const results::RunSummary& summary, const std::string& name);
/// The batch of a pool's decode steps that comes closest to so many sequences.
const results::DecodeBatch& decode_at(const results::PoolSummary& pool, double sequences);
/// Share of the time that memory, "sm_clock", "link" or "host" bound.
double bound_share(const results::BoundShares& shares, const std::string& name);

}  // namespace rackwright::test
