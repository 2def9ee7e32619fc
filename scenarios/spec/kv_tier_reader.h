#pragma once

#include <string>
#include <vector>

#include "scenarios/spec/kv_tier_spec.h"

namespace rackwright::v1 {
class Pool;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

class Findings;

std::vector<KvTierSpec> kv_tier_specs(const v1::Pool& written);

/// Says what tiers and swapping lack, and where they have no effect. `path` is the pool's.
void check_kv_tiers(const v1::Pool& written, const std::string& path, Findings& findings);

}  // namespace rackwright::scenarios
