#pragma once

#include <span>
#include <string_view>

namespace rackwright {

/// A data file that the build put into the program (cmake/RackwrightEmbed.cmake).
struct EmbeddedFile {
  std::string_view path;  ///< Relative to the folder that was embedded, with '/'.
  std::string_view text;
};

using EmbeddedFiles = std::span<const EmbeddedFile>;

}  // namespace rackwright
