#include "sim/serving/tool_rounds.h"

#include <algorithm>
#include <utility>

#include "models/base/saturating.h"

namespace rackwright::serving {
namespace {

constexpr std::uint32_t entity = 0;
constexpr int not_looked_up = -2;
constexpr int unknown = -1;
const ToolSpec elsewhere{};

}  // namespace

void ToolRounds::begin(traces::Request request) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  entries_[at] = {std::move(request), 0, 0, {}};
  start_round(at);
}

void ToolRounds::start_round(std::uint32_t at) {
  Entry& entry = entries_[at];
  const std::vector<traces::ToolStep>& steps = entry.request.tools;
  const std::size_t first = entry.next;
  while (entry.next < steps.size() && steps[entry.next].round == steps[first].round) ++entry.next;
  entry.running = static_cast<int>(entry.next - first);
  for (std::size_t i = first; i < entry.next; ++i) {
    const ToolSpec& tool = tool_called(steps[i].tool);
    if (tool.station == ToolSpec::nowhere) {
      engine_.at(saturating_sum(engine_.now(), steps[i].work), engine::Phase::arrival, entity, *this, std::uint64_t{i} << 32 | at);
    } else {
      stations_[static_cast<std::size_t>(tool.station)].submit({tool.workers, tool.memory_bytes, steps[i].work, this, at});
    }
  }
}

// A tool that runs nowhere here began when its round did.
void ToolRounds::on_event(std::uint64_t token) {
  const auto at = static_cast<std::uint32_t>(token);
  const SimTime began = engine_.now() - entries_[at].request.tools[token >> 32].work;
  on_job_ended(at, began, began);
}

void ToolRounds::on_job_ended(std::uint64_t token, SimTime queued, SimTime started) {
  const auto at = static_cast<std::uint32_t>(token);
  Entry& entry = entries_[at];
  if (--entry.running > 0) return;
  entry.times.work += engine_.now() - started;
  entry.times.wait += started - queued;
  if (entry.next < entry.request.tools.size()) {
    start_round(at);
    return;
  }
  traces::Request request = std::move(entry.request);
  const ToolTimes times = entry.times;
  free_.push_back(at);
  owner_.on_tools_ended(request, times);
}

const ToolSpec& ToolRounds::tool_called(std::uint32_t name) {
  if (name >= tool_of_name_.size()) tool_of_name_.resize(name + 1, not_looked_up);
  int& known = tool_of_name_[name];
  if (known == not_looked_up) {
    auto found = std::ranges::find(tools_, source_.name(name), &ToolSpec::name);
    if (found == tools_.end()) found = std::ranges::find(tools_, "*", &ToolSpec::name);
    known = found == tools_.end() ? unknown : static_cast<int>(found - tools_.begin());
  }
  return known == unknown ? elsewhere : tools_[static_cast<std::size_t>(known)];
}

}  // namespace rackwright::serving
