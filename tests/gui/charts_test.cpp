#include <QChart>
#include <QChartView>
#include <QLineSeries>
#include <QTest>
#include <algorithm>

#include "gui/charts/chart_axis.h"
#include "gui/charts/plot_view.h"
#include "gui/charts/time_window.h"
#include "gui/run/number_text.h"
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

TEST_CASE("A chart of a million points draws few of them, and none of the extremes is lost") {
  // y = 0 but for one point of 7 somewhere in between: no stretch may swallow it.
  plots::Series series{"one", plots::Shape::line, {}};
  constexpr int many = 1000000;
  for (int i = 0; i < many; ++i) series.points.push_back({static_cast<double>(i), i == 654321 ? 7.0 : 0.0});
  gui::PlotView view;
  view.setPlot({"p", "Points", "", {"", "s"}, {"", ""}, {series}, {}});
  view.resize(500, 300);
  view.show();
  auto* chart = view.findChild<QChartView*>()->chart();
  REQUIRE(QTest::qWaitFor([&] { return !chart->series().isEmpty(); }));
  const auto* line = qobject_cast<QLineSeries*>(chart->series().front());
  REQUIRE(line);
  CHECK(line->count() < 2000);
  const auto points = line->points();
  const auto highest = std::ranges::max_element(points, {}, &QPointF::y);
  CHECK(highest->x() == Approx(654321.0 / many).margin(1e-3));
  CHECK(highest->y() > 0.8);
  CHECK(points.front().x() == Approx(0).margin(1e-3));
  CHECK(points.back().x() == Approx(1).margin(2e-3));
}

TEST_CASE("Zooming in time keeps the moment under the pointer, and never leaves the run") {
  gui::TimeWindow time;
  time.reset(1000);
  CHECK(time.to_s() == 60);
  time.show(100, 200);
  // 25 % of 100 … 200 s is 125 s; half as long a part with 125 s at 25 % is 112.5 … 162.5 s.
  time.zoom(0.5, 0.25);
  CHECK(time.from_s() == Approx(112.5));
  CHECK(time.to_s() == Approx(162.5));
  CHECK(time.secondsAt(time.x(125, 640), 640) == Approx(125));
  time.zoom(1e9, 0.5);
  CHECK(time.from_s() == 0);
  CHECK(time.to_s() == 1000);
  time.show(990, 1090);
  CHECK(time.from_s() == 900);
  CHECK(time.to_s() == 1000);
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
  CHECK(gui::byteOffset(bytes, 0) == 3);
  for (const char* place : {"b:", "c:"}) CHECK(gui::byteOffset(bytes, shown.indexOf(QLatin1String(place))) == bytes.find(place));
  CHECK(gui::byteOffset(bytes, shown.size()) == bytes.size());
}
