#include "gui/item_models/summary_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <QStringList>
#include <algorithm>
#include <array>

#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;
constexpr int mostValues = 3;

/// A scalar as text; a group by its shorthand; empty for the rest.
QString shortValue(const pb::Message& message, const pb::FieldDescriptor& field) {
  if (field.is_repeated()) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    QString name = QString::fromStdString(std::string(field.name()));
    if (size == 1 && name.endsWith(QLatin1Char('s'))) name.chop(1);
    return QStringLiteral("%1 %2").arg(size).arg(name);
  }
  if (!field.message_type()) return QString::fromStdString(scenarios::format_scalar(field, scenarios::get_scalar(message, field)));
  const pb::Message& group = message.GetReflection()->GetMessage(message, &field);
  const pb::FieldDescriptor* bare = scenarios::shorthand_field(*group.GetDescriptor());
  if (!bare || !scenarios::is_given(group, *bare)) return {};
  return shortValue(group, *bare);
}

}  // namespace

QString summaryText(const pb::Message& group) {
  const pb::FieldDescriptor* key = scenarios::key_field(*group.GetDescriptor());
  QStringList values;
  for (int i = 0; i < group.GetDescriptor()->field_count() && values.size() < mostValues; ++i) {
    const pb::FieldDescriptor& field = *group.GetDescriptor()->field(i);
    if (&field == key || !scenarios::is_given(group, field)) continue;
    if (const QString value = shortValue(group, field); !value.isEmpty()) values.push_back(value);
  }
  return values.join(QStringLiteral(" · "));
}

QString readableName(const std::string& name) {
  static constexpr std::array acronyms{"cdu", "cpu", "cv", "e2e", "ffn", "gpu", "itl", "kv", "lm", "mtp", "nic", "qk", "qkv", "slo", "sm", "tpot", "ttft"};
  QStringList words = QString::fromStdString(name).split(QLatin1Char('_'));
  for (QString& word : words) {
    if (std::ranges::any_of(acronyms, [&](const char* acronym) { return word == QLatin1String(acronym); })) word = word.toUpper();
  }
  if (!words.front().isEmpty()) words.front()[0] = words.front()[0].toUpper();
  return words.join(QLatin1Char(' '));
}

}  // namespace rackwright::gui
