#pragma once

#include <string>
#include <string_view>

#include "scenarios/plots/plot.h"

namespace rackwright::report {

/// A plot as an <svg> element that scales with its container. Colours come from the custom properties
/// --series-0 … --series-6, --ink, --muted and --rule of the page, with fallbacks for a page without them.
/// Series differ by dash as well as by colour; a title and a description are there for screen readers.
std::string to_svg(const plots::Plot& plot);

/// Text made safe for HTML and SVG.
std::string escaped(std::string_view text);

}  // namespace rackwright::report
