#include "traces/readers/lineage.h"

#include <algorithm>

#include "traces/records/tool_list.h"

namespace rackwright::traces {

std::optional<Lineage::Known> Lineage::find(std::uint64_t key) const {
  if (key == 0) return std::nullopt;
  if (key <= counted_) return Known{key - 1, 0, std::nullopt};
  const auto found = by_id_.find(key);
  return found == by_id_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Lineage::Known> Lineage::parent_of(const CleanRow& row, const Request& request) {
  const std::optional<Known> parent = find(row.parent_key);
  if (kind_ != ParentKind::span) return parent;

  Session& session = sessions_[request.session];
  while (!session.running.empty() && *session.running.top().completion <= request.arrival) {
    session.last_complete = session.running.top();
    session.running.pop();
  }
  if (parent && parent->completion && *parent->completion <= request.arrival) return parent;
  return session.last_complete;
}

void Lineage::note_tool(const CleanRow& row, SimTime start) {
  sessions_[row.request.session].tools.push_back({row.request.tools.front(), start});
}

void Lineage::take_tools(Session& session, const Known& parent, Request& request) {
  SimTime round_end;
  std::int32_t round = -1;
  for (const Ran& ran : session.tools) {
    if (ran.start < *parent.completion || ran.end() > request.arrival) continue;
    if (round < 0 || ran.start >= round_end) ++round;
    round_end = std::max(round_end, ran.end());
    request.tools.push_back(ran.step);
    request.tools.back().round = round;
  }
}

void Lineage::settle(const CleanRow& row, Request& request) {
  const std::optional<Known> parent = parent_of(row, request);
  if (kind_ == ParentKind::turn && request.session == 0) {
    // The first turn's id stands for the conversation.
    request.session = parent ? parent->session : row.parent_key != 0 ? row.parent_key : row.id_key;
  }
  if (parent && dependents_ == Dependents::after_parent) {
    request.parent = parent->id;
    const SimTime pause = parent->completion ? std::max(SimTime{}, request.arrival - *parent->completion) : SimTime{};
    if (kind_ == ParentKind::span && parent->completion) take_tools(sessions_[request.session], *parent, request);
    request.think_time = row.think_time.value_or(std::max(SimTime{}, pause - critical_path(request.tools)));
  } else {
    request.tools.clear();  // Nothing says when they were called.
  }
  if (kind_ == ParentKind::span)
    std::erase_if(sessions_[request.session].tools, [&](const Ran& ran) { return ran.end() <= request.arrival; });
  const Known self{request.id, request.session, request.logged.completion};
  if (kind_ == ParentKind::stated && row.id_key == request.id + 1 && counted_ == request.id) ++counted_;
  else if (row.id_key != 0) by_id_[row.id_key] = self;
  if (kind_ == ParentKind::span && self.completion) sessions_[request.session].running.push(self);
}

}  // namespace rackwright::traces
