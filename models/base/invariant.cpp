#include "models/base/invariant.h"

#include <fmt/format.h>

namespace rackwright {

void invariant_failed(std::string_view what, CallPlace where) {
  throw InvariantViolation(fmt::format("{} [{}:{}]", what, where.file_name(), where.line()));
}

}  // namespace rackwright
