#include "models/base/version.h"

namespace rackwright {

std::string_view version() { return RACKWRIGHT_VERSION; }

}  // namespace rackwright
