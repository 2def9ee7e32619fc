#include "gui/run/stream_line.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace rackwright::gui {
namespace {

std::optional<double> number(const QJsonObject& object, const char* key) {
  const QJsonValue value = object[QLatin1String(key)];
  if (!value.isDouble()) return std::nullopt;
  return value.toDouble();
}

}  // namespace

std::optional<RunProgress> parseProgress(const QByteArray& line) {
  if (!line.startsWith('{')) return std::nullopt;
  const QJsonObject object = QJsonDocument::fromJson(line).object();
  const auto simTime_s = number(object, "sim_time_s");
  const auto done = number(object, "requests_done");
  if (!simTime_s || !done) return std::nullopt;
  RunProgress progress{*simTime_s, static_cast<std::int64_t>(*done), {}, number(object, "fraction"), number(object, "elapsed_s").value_or(0), number(object, "left_s")};
  if (const auto total = number(object, "requests_total")) progress.requestsTotal = static_cast<std::int64_t>(*total);
  return progress;
}

}  // namespace rackwright::gui
