#pragma once

#include <memory>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Every command of the program, in the order of its help.
std::vector<std::unique_ptr<Verb>> all_verbs();

}  // namespace rackwright::cli
