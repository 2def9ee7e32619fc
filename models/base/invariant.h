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

#ifdef __cpp_lib_source_location
using CallPlace = std::source_location;
#else
/// The same for clang 14 with libstdc++, which the fuzz targets are built with.
class CallPlace {
 public:
  static constexpr CallPlace current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    CallPlace place;
    place.file_ = file;
    place.line_ = line;
    return place;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }

 private:
  const char* file_ = "";
  unsigned line_ = 0;
};
#endif

[[noreturn]] void invariant_failed(std::string_view what, CallPlace where = CallPlace::current());

/// Always on. `what` says what should have held, with the values if they help.
inline void invariant(bool holds, std::string_view what,
                      CallPlace where = CallPlace::current()) {
  if (!holds) [[unlikely]] invariant_failed(what, where);
}

}  // namespace rackwright
