#include "gui/charts/chart_axis.h"
#include "gui/charts/number_text.h"
#include "gui/views/text_mapping.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::ChartAxis;
using plots::Axis;
using plots::Scale;

namespace {

std::string ticks(const ChartAxis& axis) {
  std::string text;
  for (const gui::AxisTick& tick : axis.ticks()) text += (text.empty() ? "" : " | ") + tick.label.toStdString();
  return text;
}

}  // namespace

TEST_CASE("Ticks stand at round numbers and carry their unit") {
  CHECK(ticks(ChartAxis({"", "W"}, 0, 7400)) == "0 | 2 kW | 4 kW | 6 kW | 8 kW");
  CHECK(ticks(ChartAxis({"", "s"}, 0, 600)) == "0 | 2 min | 4 min | 6 min | 8 min | 10 min");
  CHECK(ticks(ChartAxis({"", "fraction", Scale::linear, true, 1.0}, 0, 0.3)) == "0 | 20 % | 40 % | 60 % | 80 % | 100 %");
  CHECK(ticks(ChartAxis({"", "s", Scale::logarithmic, false}, 0.002, 4)) == "10 ms | 100 ms | 1 s");
  CHECK(ticks(ChartAxis({"", "fraction", Scale::nines}, 0, 0.999)) == "p0 | p50 | p90 | p99 | p99.9");
  CHECK(ticks(ChartAxis({"", ""}, 0, 0)) == "0 | 0.2 | 0.4 | 0.6 | 0.8 | 1");
}

TEST_CASE("A place on an axis leads back to its value") {
  for (const Scale scale : {Scale::linear, Scale::logarithmic, Scale::nines}) {
    const ChartAxis axis({"", "fraction", scale, true, std::nullopt}, 0.01, 0.99);
    for (const double value : {0.02, 0.5, 0.9, 0.98}) CHECK(axis.valueAt(axis.place(value)) == Approx(value));
  }
}

TEST_CASE("Numbers read as in the report") {
  CHECK(gui::quantityText(0.0421, "s") == QStringLiteral("42.1 ms"));
  CHECK(gui::quantityText(0.973, "fraction") == QStringLiteral("97.3 %"));
  CHECK(gui::quantityText(1700, "1/s") == QStringLiteral("1,700 /s"));
  CHECK(gui::durationText(3500) == QStringLiteral("58 min 20 s"));
  CHECK(gui::countText(19366) == QStringLiteral("19,366"));
}

TEST_CASE("Typing keeps the bytes that it does not touch: line breaks, byte order mark, any character") {
  const std::string bytes = "\xef\xbb\xbf" "a: \xf0\x9f\x98\x80\r\nb: \xc3\xa9\nc: 1\r\n";
  const QString shown = gui::shownText(bytes);
  CHECK(shown == QString::fromUtf8("a: \xf0\x9f\x98\x80\nb: \xc3\xa9\nc: 1\n"));
  CHECK(gui::bytesAfterTyping(bytes, shown) == bytes);
  QString typed = shown;
  typed.replace(QStringLiteral("c: 1"), QStringLiteral("c: 12\nd: 3"));
  CHECK(gui::bytesAfterTyping(bytes, typed) == "\xef\xbb\xbf" "a: \xf0\x9f\x98\x80\r\nb: \xc3\xa9\nc: 12\r\nd: 3\r\n");
  for (std::size_t offset : {std::size_t{3}, bytes.find("b:"), bytes.find("c:"), bytes.size()}) {
    CHECK(gui::byteOffset(bytes, gui::shownPosition(bytes, offset)) == offset);
  }
}
