#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "traces/readers/clean_row.h"
#include "traces/readers/open_trace.h"

namespace rackwright::traces {

/// What a parent means in a log.
enum class ParentKind {
  turn,    ///< The turn before; the conversation is the chain of turns.
  stated,  ///< The request to wait for, beside a session of its own (canonical form).
  span,    ///< The span around: mostly a tool or an agent, sometimes an earlier request.
};

/// Ties the requests of a conversation together: sets the session and, where wanted, the parent and the pause after
/// it. A span depends on its parent if that is a request and was complete, else on that request of the same trace
/// which was the latest to be complete when the span started. Tools of a session that ran in
/// between become steps of the later request: side by side where their spans overlap, else one after another. Keeps some 50 bytes per request that has an id, but
/// nothing for stated ids that count up with the stream, as those of the canonical form do.
class Lineage {
 public:
  Lineage(ParentKind kind, Dependents dependents) : kind_(kind), dependents_(dependents) {}

  /// Rows come in order of arrival, with the id, arrival and logged times of `request` set.
  void settle(const CleanRow& row, Request& request);
  /// A tool that ran, in its place among the requests. The next request of its session that starts when the tool has
  /// ended takes it over, if the tool started after that request's parent was complete.
  void note_tool(const CleanRow& row, SimTime start);

 private:
  struct Known {
    std::uint64_t id = 0;
    std::uint64_t session = 0;
    std::optional<SimTime> completion;  ///< Since the stream's start.
  };
  struct CompletesLater {
    bool operator()(const Known& a, const Known& b) const { return *a.completion > *b.completion; }
  };
  struct Ran {
    ToolStep step;
    SimTime start;
    SimTime end() const { return start + step.work; }
  };
  struct Session {
    std::vector<Ran> tools;  ///< By start; not taken over yet.
    std::priority_queue<Known, std::vector<Known>, CompletesLater> running;
    std::optional<Known> last_complete;
  };

  std::optional<Known> find(std::uint64_t key) const;
  void take_tools(Session& session, const Known& parent, Request& request);
  std::optional<Known> parent_of(const CleanRow& row, const Request& request);

  ParentKind kind_;
  Dependents dependents_;
  std::unordered_map<std::uint64_t, Known> by_id_;
  std::uint64_t counted_ = 0;  ///< The first requests, whose stated keys are 1, 2, 3 … and not in `by_id_`.
  std::unordered_map<std::uint64_t, Session> sessions_;  ///< Spans only.
};

}  // namespace rackwright::traces
