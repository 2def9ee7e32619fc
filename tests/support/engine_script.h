#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/engine/engine.h"

namespace rackwright::tests {

/// Drives an engine from a test: actions at given times, flows by name, and a record of what became of them.
class EngineScript final : private engine::EventHandler, private engine::FlowHandler {
 public:
  struct FlowRecord {
    engine::FlowId id;
    double bytes = 0;
    SimTime start;
    SimTime end = SimTime::max();  ///< `max()` when it never ended.
    struct Rate {
      SimTime since;
      double bytes_per_second = 0;
    };
    std::vector<Rate> rates;
  };

  explicit EngineScript(engine::Engine& engine) : engine_(engine) {}

  void at(double seconds, std::function<void()> action);
  /// From within an action, or before the run. Names are unique.
  void start(const std::string& name, std::vector<engine::LinkId> path, double bytes, double rate_cap = 0,
             std::uint32_t entity = 0);
  bool cancel(const std::string& name);
  /// What happens when the flow of this name is done.
  void when_done(const std::string& name, std::function<void()> action) { when_done_[name] = std::move(action); }

  const FlowRecord& flow(const std::string& name) const { return flows_.at(name); }
  double end_s(const std::string& name) const { return flow(name).end.seconds(); }
  double last_rate(const std::string& name) const { return flow(name).rates.back().bytes_per_second; }
  /// Names in the order of their ends.
  const std::vector<std::string>& ends() const { return ends_; }
  const std::map<std::string, FlowRecord>& flows() const { return flows_; }

 private:
  void on_event(std::uint64_t token) override;
  void on_flow_done(engine::FlowId flow, std::uint64_t token) override;
  void on_flow_rate(engine::FlowId flow, std::uint64_t token, double rate) override;

  engine::Engine& engine_;
  std::vector<std::function<void()>> actions_;
  std::vector<std::string> names_;  ///< By token.
  std::map<std::string, FlowRecord> flows_;
  std::map<std::string, std::function<void()>> when_done_;
  std::vector<std::string> ends_;
};

/// Bytes that arrived by `until` according to the rates that were told.
double bytes_told(const EngineScript::FlowRecord& flow, SimTime until);

}  // namespace rackwright::tests
