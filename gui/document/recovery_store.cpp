#include "gui/document/recovery_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUuid>

namespace rackwright::gui {
namespace {

const QString fileKey = QStringLiteral("file");
const QString titleKey = QStringLiteral("title");
const QString textKey = QStringLiteral("text");

}  // namespace

RecoveryStore::RecoveryStore(QString folder)
    : folder_(std::move(folder)), own_(QUuid::createUuid().toString(QUuid::WithoutBraces)) {
  QDir().mkpath(folder_);
  lock_ = std::make_unique<QLockFile>(path(own_, ".lock"));
  lock_->setStaleLockTime(0);  // Stale only when its process is gone.
  lock_->tryLock(0);
}

RecoveryStore::~RecoveryStore() = default;

QString RecoveryStore::path(const QString& entry, const char* ending) const {
  return QDir(folder_).filePath(entry + QLatin1String(ending));
}

QString RecoveryStore::write(const QString& file, const QString& title, const std::string& text) const {
  // One JSON object, so that text and origin are never of different times.
  const QJsonObject entry{{fileKey, file}, {titleKey, title}, {textKey, QString::fromStdString(text)}};
  QSaveFile target(path(own_, ".json"));
  if (target.open(QIODevice::WriteOnly)) target.write(QJsonDocument(entry).toJson(QJsonDocument::Compact));
  if (target.commit()) return {};
  return QCoreApplication::translate("RecoveryStore", "unsaved changes cannot be kept safe: %1").arg(target.errorString());
}

void RecoveryStore::clear() const { QFile::remove(path(own_, ".json")); }

std::vector<RecoveredText> RecoveryStore::leftovers() const {
  std::vector<RecoveredText> found;
  const QDir folder(folder_);
  for (const QString& name : folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Time)) {
    const QString entry = name.chopped(5);
    if (entry == own_) continue;
    QLockFile lock(path(entry, ".lock"));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;
    QFile source(folder.filePath(name));
    if (!source.open(QIODevice::ReadOnly)) continue;
    const QJsonObject object = QJsonDocument::fromJson(source.readAll()).object();
    if (!object.contains(textKey)) continue;
    found.push_back({entry, object[fileKey].toString(), object[titleKey].toString(), object[textKey].toString().toStdString()});
  }
  return found;
}

void RecoveryStore::discard(const QString& entry) const {
  QFile::remove(path(entry, ".json"));
  QFile::remove(path(entry, ".lock"));
}

}  // namespace rackwright::gui
