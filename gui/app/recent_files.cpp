#include "gui/app/recent_files.h"

#include <QFileInfo>
#include <QSettings>
#include <algorithm>

namespace rackwright::gui {
namespace {

constexpr qsizetype mostRemembered = 8;
const QString key = QStringLiteral("recentFiles");

}  // namespace

QStringList recentFiles(const QSettings& settings) {
  QStringList files = settings.value(key).toStringList();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  return files;
}

void rememberFile(QSettings& settings, const QString& file) {
  QStringList files = settings.value(key).toStringList();
  const QString absolute = QFileInfo(file).absoluteFilePath();
  files.removeAll(absolute);
  files.prepend(absolute);
  settings.setValue(key, QStringList(files.mid(0, mostRemembered)));
}

}  // namespace rackwright::gui
