#pragma once

#include <string_view>

namespace rackwright::report {

/// The style sheet of every report: light and dark, wide and narrow, screen and paper.
extern const std::string_view report_style;

}  // namespace rackwright::report
