#pragma once

#include <QIcon>

#include "models/base/diagnostic.h"

class QPalette;

namespace rackwright::gui {

/// Severities differ by shape as well as by colour.
QIcon severityIcon(Severity severity, const QPalette& palette);
QColor severityColor(Severity severity, const QPalette& palette);

}  // namespace rackwright::gui
