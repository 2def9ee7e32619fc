#pragma once

#include <string>

namespace rackwright::kernels {

/// "2.28.9", or "none" when built without NCCL.
std::string nccl_version();

}  // namespace rackwright::kernels
