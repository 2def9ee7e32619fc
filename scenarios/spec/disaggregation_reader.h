#pragma once

#include <string_view>
#include <vector>

#include "scenarios/spec/disaggregation_spec.h"
#include "scenarios/spec/pool_spec.h"

namespace rackwright::v1 {
class KvTransfer;
class Pool;
}  // namespace rackwright::v1

namespace rackwright::scenarios {

class Findings;

PoolRole pool_role(const v1::Pool& pool);
KvTransferSpec kv_transfer_spec(const v1::KvTransfer& written);

/// Says which pools receive KV. Reports pools whose roles leave a part of a request's work to nobody, or that could not
/// hand KV to each other.
void match_roles(std::vector<PoolSpec>& pools, Findings& findings);

}  // namespace rackwright::scenarios
