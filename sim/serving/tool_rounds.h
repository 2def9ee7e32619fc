#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/serving/station.h"
#include "traces/records/request.h"

namespace rackwright::serving {

/// What a call of a tool takes.
struct ToolSpec {
  static constexpr int nowhere = -1;
  std::string name;       ///< In the source; "*" for every other one.
  int station = nowhere;  ///< Nowhere: its time passes, and nothing of this run is busy.
  int workers = 1;
  double memory_bytes = 0;
};

/// Time in tools on a request's way: of each round that of its last tool.
struct ToolTimes {
  SimTime work;
  SimTime wait;
};

class ToolRoundsOwner {
 public:
  virtual ~ToolRoundsOwner() = default;
  /// All tools of a request have run; its buffers may be taken.
  virtual void on_tools_ended(traces::Request& request, const ToolTimes& times) = 0;
};

/// Requests whose tools run, round by round.
class ToolRounds final : private engine::EventHandler, private JobOwner {
 public:
  ToolRounds(engine::Engine& engine, const std::vector<ToolSpec>& tools, std::deque<Station>& stations, const traces::RequestSource& source,
             ToolRoundsOwner& owner)
      : engine_(engine), tools_(tools), stations_(stations), source_(source), owner_(owner) {}

  /// The request, which has tools, arrives when they have run.
  void begin(traces::Request request);
  std::size_t waiting() const { return entries_.size() - free_.size(); }

 private:
  struct Entry {
    traces::Request request;
    std::size_t next = 0;  ///< Of its tools, the first of the next round.
    int running = 0;
    ToolTimes times;
  };

  void on_event(std::uint64_t token) override;
  void on_job_ended(std::uint64_t token, SimTime queued, SimTime started) override;
  void start_round(std::uint32_t at);
  const ToolSpec& tool_called(std::uint32_t name);

  engine::Engine& engine_;
  const std::vector<ToolSpec>& tools_;
  std::deque<Station>& stations_;
  const traces::RequestSource& source_;
  ToolRoundsOwner& owner_;
  std::vector<int> tool_of_name_;  ///< By the source's name id.
  std::deque<Entry> entries_;      ///< Recycled slots.
  std::vector<std::uint32_t> free_;
};

}  // namespace rackwright::serving
