#pragma once

#include <string_view>

namespace rackwright {

/// Of the whole project, from CMakeLists.txt: "0.1.0".
std::string_view version();

}  // namespace rackwright
