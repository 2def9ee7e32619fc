#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/diagnostic.h"
#include "models/llm/operator_graph.h"
#include "models/llm/sharding.h"
#include "tests/support/catch.h"
#include "tests/support/model_preset.h"

namespace rackwright::test {

/// A preset over `tensor` tensor-parallel ranks.
inline llm::ShardedShape sharded_preset(const std::string& name, int tensor) {
  Diagnostics findings;
  llm::ShardedShape sharded = llm::shard(model_preset(name), {.tensor = tensor}, {}, "", findings);
  REQUIRE_FALSE(findings.has_errors());
  return sharded;
}

/// The first of a kind, which must be there.
inline llm::Operator operator_of(const std::vector<llm::Operator>& operators, llm::OperatorKind kind) {
  const auto found = std::ranges::find(operators, kind, &llm::Operator::kind);
  REQUIRE(found != operators.end());
  return *found;
}

}  // namespace rackwright::test
