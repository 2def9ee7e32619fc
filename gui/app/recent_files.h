#pragma once

#include <QStringList>

class QSettings;

namespace rackwright::gui {

/// Scenarios and runs that were open lately, the latest first; what is no longer there is left out.
QStringList recentFiles(const QSettings& settings);
void rememberFile(QSettings& settings, const QString& file);

}  // namespace rackwright::gui
