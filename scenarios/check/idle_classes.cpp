#include "scenarios/check/idle_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "scenarios/schema/path.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/spec/findings.h"

namespace rackwright::scenarios {
namespace {

bool orders_by_priority(const v1::Pool& pool) { return pool.scheduler().order() == v1::QUEUE_ORDER_PRIORITY; }

/// Why no request is of this class; null where one may be. What a log calls its requests is known when it is read.
const char* why_idle(const v1::Workload& workload, const std::string& name) {
  if (workload.has_generator()) {
    if (workload.generator().classes().contains(name)) return nullptr;
    return workload.generator().classes().empty() ? "the generator has no classes" : "no class of the generator has this name";
  }
  const bool is_mapped = workload.trace().format() == "columns";
  return is_mapped && workload.trace().columns().class_().empty() ? "no column of the log names the class" : nullptr;
}

}  // namespace

void warn_of_idle_classes(const v1::Scenario& scenario, Findings& findings) {
  const v1::Workload& workload = scenario.workload();
  const auto warn = [&](const std::string& path, const std::string& reason) {
    findings.diagnostics().warning(findings.place(path), "", fmt::format("no effect: {}, because {}", path, reason));
  };
  // By name: maps of a message have no order.
  const std::map<std::string, v1::RequestClass> classes(workload.classes().begin(), workload.classes().end());
  const bool is_looked_at = std::ranges::any_of(scenario.deployment(), orders_by_priority);
  std::set<std::int64_t> priorities;
  for (const auto& [name, written] : classes) {
    const std::string path = child_path("workload.classes", name);
    const char* reason = why_idle(workload, name);
    if (reason != nullptr) warn(path, reason);
    else if (written.has_priority() && !is_looked_at) warn(path + ".priority", "no pool's scheduler has 'order: priority'");
    if (reason == nullptr) priorities.insert(written.priority());
  }
  // Requests without a class have priority 0, and a log may have such.
  if (std::ranges::any_of(priorities, [](std::int64_t priority) { return priority != 0; })) return;
  for (int i = 0; i < scenario.deployment_size(); ++i) {
    if (orders_by_priority(scenario.deployment(i))) warn(fmt::format("deployment[{}].scheduler.order", i), "every request has the same priority");
  }
}

}  // namespace rackwright::scenarios
