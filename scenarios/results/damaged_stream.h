#pragma once

#include <stdexcept>

namespace rackwright::results {

/// A file that is not what it should be the stream of, or one that is damaged or of a newer format.
class DamagedStream : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rackwright::results
