#include "tests/support/engine_script.h"

#include <algorithm>

#include "models/base/invariant.h"

namespace rackwright::tests {

using namespace engine;

void EngineScript::at(double seconds, std::function<void()> action) {
  actions_.push_back(std::move(action));
  engine_.at(sim_time(seconds), Phase::control, 0, *this, actions_.size() - 1);
}

void EngineScript::on_event(std::uint64_t token) { actions_[token](); }

void EngineScript::start(const std::string& name, std::vector<LinkId> path, double bytes, double rate_cap,
                         std::uint32_t entity) {
  invariant(!flows_.contains(name), "a script uses a flow's name twice");
  names_.push_back(name);
  FlowRecord& record = flows_[name];
  record.bytes = bytes;
  record.start = engine_.now();
  record.id = engine_.start_flow({path, bytes, rate_cap}, entity, *this, names_.size() - 1);
}

bool EngineScript::cancel(const std::string& name) { return engine_.cancel_flow(flow(name).id); }

void EngineScript::on_flow_done(FlowId flow, std::uint64_t token) {
  const std::string name = names_[token];
  FlowRecord& record = flows_.at(name);
  invariant(record.id.value == flow.value, "an engine mixed up two flows");
  record.end = engine_.now();
  ends_.push_back(name);
  if (const auto action = when_done_.find(name); action != when_done_.end()) action->second();
}

void EngineScript::on_flow_rate(FlowId, std::uint64_t token, double rate) {
  flows_.at(names_[token]).rates.push_back({engine_.now(), rate});
}

double bytes_told(const EngineScript::FlowRecord& flow, SimTime until) {
  double bytes = 0;
  for (std::size_t i = 0; i < flow.rates.size(); ++i) {
    const SimTime next = i + 1 < flow.rates.size() ? flow.rates[i + 1].since : until;
    bytes += flow.rates[i].bytes_per_second * (std::min(next, until) - flow.rates[i].since).seconds();
  }
  return bytes;
}

}  // namespace rackwright::tests
