#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rackwright {

/// A bug of ours: something that no input can reach. The command line ends with exit code 70.
class InvariantViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The environment failed: a full disk, an unreadable file. The command line ends with exit code 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void invariant_failed(std::string_view what, std::source_location where);

/// Always on. `what` says what should have held, with the values if they help.
inline void invariant(bool holds, std::string_view what,
                      std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]] invariant_failed(what, where);
}

}  // namespace rackwright
