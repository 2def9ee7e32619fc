#pragma once

#include "traces/generators/generator.h"

namespace rackwright::traces {

// One file each; listed in workloads.cpp, which sets the name.
GeneratorSpec azure_conversation_2023();
GeneratorSpec azure_code_2023();
GeneratorSpec mooncake_conversation();
GeneratorSpec burstgpt();

}  // namespace rackwright::traces
