#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/spec/pool_spec.h"

namespace rackwright::v1 {
class Speculation;
}

namespace rackwright::scenarios {

class Findings;

/// `target` is the model that verifies; `draft` the shape of `written.draft`, when it has one.
SpeculationSpec speculation_spec(const v1::Speculation& written, const llm::ModelShape& target, std::optional<llm::ModelShape> draft,
                                 const std::string& path, Findings& findings);

/// Reports draft pools that nobody or more than one pool uses, or that do not match the pool that they draft for.
void check_drafts(const std::vector<PoolSpec>& pools, Findings& findings);

/// The pool that drafts for this one, or nothing.
std::optional<std::size_t> draft_pool_of(const std::vector<PoolSpec>& pools, const PoolSpec& pool);

}  // namespace rackwright::scenarios
