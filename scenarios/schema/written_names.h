#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// How an enum value is written in a file: SCHEDULER_POLICY_VLLM_V1 of SchedulerPolicy is "vllm-v1",
/// unless its option says otherwise. Empty for the value …_UNSPECIFIED, which cannot be written.
std::string written_name(const pb::EnumValueDescriptor& value);

/// Every name that can be written, in the order of the schema.
std::vector<std::string> written_names(const pb::EnumDescriptor& type);

/// The value written so, or null.
const pb::EnumValueDescriptor* find_written(const pb::EnumDescriptor& type, std::string_view name);

/// The enum's name for people: "scheduler policy" for SchedulerPolicy.
std::string plain_name(const pb::EnumDescriptor& type);

}  // namespace rackwright::scenarios
