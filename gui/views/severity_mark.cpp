#include "gui/views/severity_mark.h"

#include <QPalette>

#include "gui/views/icons.h"
#include "gui/views/theme.h"

namespace rackwright::gui {

QColor severityColor(Severity severity, const QPalette& palette) {
  const ThemeColors colors = themeColors(palette);
  switch (severity) {
    case Severity::error: return colors.error;
    case Severity::warning: return colors.warning;
    case Severity::note: break;
  }
  return colors.accent;
}

QIcon severityIcon(Severity severity, const QPalette& palette) {
  const Icon which = severity == Severity::error ? Icon::error : severity == Severity::warning ? Icon::warning : Icon::note;
  return icon(which, severityColor(severity, palette));
}

}  // namespace rackwright::gui
