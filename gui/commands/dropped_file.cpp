#include "gui/commands/dropped_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <string>

#include "gui/commands/scenario_draft.h"
#include "scenarios/schema/path.h"

namespace rackwright::gui {
namespace {

constexpr qint64 headBytes = 1 << 16;

bool containsAny(const QByteArray& head, std::initializer_list<const char*> marks) {
  return std::ranges::any_of(marks, [&](const char* mark) { return head.contains(mark); });
}

/// As a scenario names it: relative where the file lies below the scenario or beside its folder, else absolute.
QString nameFor(const QString& path, const QString& folder) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QString name = absolute;
  if (!folder.isEmpty()) {
    const QString relative = QDir(folder).relativeFilePath(absolute);
    if (!relative.startsWith(QStringLiteral("../.."))) name = relative;
  }
  return name;
}

std::string quoted(QString name) { return "'" + name.replace(QLatin1Char('\''), QStringLiteral("''")).toStdString() + "'"; }

/// A name for a model: its folder's, unless that says nothing, as in "config.json" of "qwen3-32b".
std::string modelName(const QString& path) {
  const QFileInfo file(path);
  QString name = file.completeBaseName();
  if (name == QStringLiteral("config")) name = file.absoluteDir().dirName();
  return name.isEmpty() ? "model" : name.toLower().toStdString();
}

}  // namespace

DroppedKind kindOfDropped(const QString& path) {
  const QFileInfo file(path);
  if (file.isDir()) return QFileInfo::exists(QDir(path).filePath(QStringLiteral("run.pb"))) ? DroppedKind::run : DroppedKind::unknown;
  if (file.fileName() == QStringLiteral("run.pb")) return DroppedKind::run;
  QFile source(path);
  if (!source.open(QIODevice::ReadOnly)) return DroppedKind::unknown;
  const QByteArray head = source.read(headBytes);
  const QString ending = file.suffix().toLower();
  if (head.contains("rackwright/v1")) return DroppedKind::scenario;
  if (ending == QStringLiteral("json") && containsAny(head, {"\"architectures\"", "\"model_type\"", "\"num_hidden_layers\""})) return DroppedKind::modelConfig;
  if (containsAny(head, {"<platform", "<system version", "vendid=", "switchguid=", "<graphml"}) || (head.contains("GPU0") && head.contains("NIC Legend")))
    return DroppedKind::topology;
  for (const char* known : {"csv", "tsv", "jsonl", "ndjson", "json", "gz", "zst", "log", "txt", "parquet"}) {
    if (ending == QLatin1String(known)) return DroppedKind::trace;
  }
  if (ending == QStringLiteral("yaml") || ending == QStringLiteral("yml")) return DroppedKind::scenario;
  return DroppedKind::unknown;
}

bool placeDropped(ScenarioDraft& draft, DroppedKind kind, const QString& path, const QString& folder) {
  if (kind == DroppedKind::modelConfig) {
    return draft.set(scenarios::child_path("models", modelName(path)), "{config: " + quoted(nameFor(path, folder)) + "}");
  }
  if (kind == DroppedKind::topology) {
    return draft.set("fabric.scale_out.topology", "file") && draft.set("fabric.scale_out.file", nameFor(path, folder).toStdString());
  }
  if (!draft.set("workload.trace", quoted(nameFor(path, folder)))) return false;
  for (const char* replaced : {"workload.generator", "workload.rate", "workload.duration", "workload.requests"}) {
    if (draft.isGiven(replaced)) draft.remove(replaced);
  }
  return true;
}

}  // namespace rackwright::gui
