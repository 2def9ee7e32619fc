#include "gui/run/number_text.h"

#include <QLocale>
#include <cmath>

#include "models/base/quantity.h"

namespace rackwright::gui {
namespace {

const QLocale& english() {
  static const QLocale locale(QLocale::English);  // Texts of the simulator have points and commas so too.
  return locale;
}

/// Three significant digits, or all digits before the point.
QString threeDigits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return english().toString(value, 'f', decimals);
}

}  // namespace

QString quantityText(double value, std::string_view dimension) {
  if (!std::isfinite(value)) return QStringLiteral("—");
  if (dimension == "fraction") return threeDigits(value * 100) + QStringLiteral(" %");
  if (dimension.empty()) return threeDigits(value);
  if (dimension == "1/s") return threeDigits(value) + QStringLiteral(" /s");
  if (dimension == "s" && std::abs(value) >= 120) return durationText(value);
  return unitText(format_quantity(value, dimension, 3));
}

QString unitText(const std::string& quantity) {
  QString text = QString::fromStdString(quantity);
  if (text.endsWith(QStringLiteral(" us"))) text.replace(text.size() - 2, 1, QChar(0xB5));
  return text;
}

QString countText(std::int64_t count) { return english().toString(static_cast<qlonglong>(count)); }

QString durationText(double seconds) {
  if (seconds < 120) return unitText(format_quantity(seconds, "s", 3));
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const auto two = [](std::int64_t n) { return QString::number(n).rightJustified(2, QLatin1Char('0')); };
  if (whole < 3600) return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(two(whole % 60));
  if (whole < 4 * 86400) return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(two(whole % 3600 / 60));
  return QStringLiteral("%1 d %2 h").arg(whole / 86400).arg(two(whole % 86400 / 3600));
}

QString sentence(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

}  // namespace rackwright::gui
