#include <string>
#include <vector>

#include "scenarios/plots/plot.h"
#include "sim/report/axis_scale.h"
#include "sim/report/numbers.h"
#include "sim/report/svg_plot.h"
#include "tests/support/catch.h"

using namespace rackwright;
using report::AxisScale;

namespace {

std::vector<std::string> labels(const AxisScale& scale) {
  std::vector<std::string> labels;
  for (const report::Tick& tick : scale.ticks()) {
    if (!tick.label.empty()) labels.push_back(tick.label);
  }
  return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("A linear axis has round ticks in the unit that fits, from zero") {
  const AxisScale power({"Power", "W"}, 3'200, 9'400);
  CHECK(power.label() == "Power (kW)");
  CHECK(labels(power) == Labels{"0", "2", "4", "6", "8", "10"});
  CHECK(power.place(0) == 0);
  CHECK(power.place(5'000) == Approx(0.5));
  const AxisScale time({"Simulated time", "s"}, 0, 3'500);
  CHECK(time.label() == "Simulated time (min)");
  CHECK(time.place(3'500) == 1);
}

TEST_CASE("A fraction is drawn in percent up to the whole") {
  const AxisScale busy({"Busy", "fraction", plots::Scale::linear, true, 1.0}, 0.1, 0.3);
  CHECK(labels(busy) == Labels{"0", "20", "40", "60", "80", "100"});
}

TEST_CASE("A logarithmic axis labels every decade, and 1-2-5 when there are few") {
  CHECK(labels(AxisScale({"Latency", "s", plots::Scale::logarithmic}, 0.0008, 20)) ==
        Labels{"1 ms", "10 ms", "100 ms", "1 s", "10 s"});
  CHECK(labels(AxisScale({"Latency", "s", plots::Scale::logarithmic}, 0.009, 0.06)) == Labels{"10 ms", "20 ms", "50 ms"});
}

TEST_CASE("A logarithmic axis reaches five decades down, and its labels have no spurious digits") {
  const AxisScale latency({"Latency", "s", plots::Scale::logarithmic}, 1e-9, 5);
  CHECK(latency.place(1e-9) == 0);
  CHECK(labels(latency) == Labels{"100 µs", "1 ms", "10 ms", "100 ms", "1 s"});
}

TEST_CASE("Nines are equally far apart") {
  const AxisScale percentile({"Percentile", "fraction", plots::Scale::nines}, 0, 0.999);
  CHECK(percentile.place(0.9) == Approx(1.0 / 3));
  CHECK(percentile.place(0.99) == Approx(2.0 / 3));
  CHECK(labels(percentile) == Labels{"p0", "p50", "p90", "p99", "p99.9"});
}

TEST_CASE("An axis without values, or with one, still has a scale") {
  CHECK(AxisScale({"Power", "W"}, 0, 0).place(0) == 0);
  CHECK_FALSE(AxisScale({"Latency", "s", plots::Scale::logarithmic}, 0.01, 0.01).ticks().empty());
}

TEST_CASE("Many bins become few points that keep the mean and the extremes") {
  std::vector<double> values(1'000, 1);
  values[777] = 100;
  const plots::Series series = plots::binned("", values, 2, 2'000, 100);
  REQUIRE(series.points.size() == 101);
  REQUIRE(series.spread.size() == 101);
  CHECK(series.points[77].x == 1'540);
  CHECK(series.points[77].y == Approx((9 + 100) / 10.0));
  CHECK(series.spread[77].high == 100);
  CHECK(series.points.back().x == 2'000);
  CHECK(plots::binned("", {1, 2}, 1, 1.5, 100).spread.empty());
}

TEST_CASE("A last bin that the run's end cut short weighs what is left of it, and a sliver is no extreme and no point of its own") {
  std::vector<double> values(201, 1);
  values.back() = 100;
  // The last point would stand for 0.5 s where the others stand for 4: it joins the one before, (1 · 4 + 100 · 0.5) / 4.5.
  const plots::Series series = plots::binned("", values, 2, 400.5, 101);
  REQUIRE(series.points.size() == 101);
  CHECK(series.points[99].y == Approx(12));
  CHECK(series.spread[99].high == 1);
  CHECK(series.points[100].x == 400.5);
  values.push_back(1);  // The group of 1, 1 becomes 100 s⁻¹ over 2 s and 1 s⁻¹ over a quarter of it.
  const plots::Series pair = plots::binned("", values, 2, 402.5, 101);
  CHECK(pair.points[100].y == Approx((100 * 2 + 1 * 0.5) / 2.5));
  CHECK(pair.spread[100].low == 100);
}

TEST_CASE("A drawing has a title for those who cannot see it, and leaves out what is not a number") {
  plots::Plot plot{"p", "Power & heat", "How hot", {"Time", "s"}, {"Power", "W"}, {}, {}};
  plot.series = {{"a", plots::Shape::line, {{0, 1}, {1, std::numeric_limits<double>::quiet_NaN()}, {2, 3}}}};
  const std::string svg = report::to_svg(plot);
  CHECK(svg.find("<title id=\"p-t\">Power &amp; heat</title>") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("Numbers read as people write them") {
  CHECK(report::grouped(std::int64_t{0}) == "0");
  CHECK(report::grouped(std::int64_t{19'366}) == "19,366");
  CHECK(report::grouped(std::int64_t{-1'234'567}) == "-1,234,567");
  CHECK(report::quantity(0.042, "s") == "42.0 ms");
  CHECK(report::quantity(0.00004167, "s") == "41.7 µs");
  CHECK(report::quantity(9'812.4, "W") == "9.81 kW");
  CHECK(report::quantity(0, "s") == "0 s");
  CHECK(report::stated(0.025, "s") == "25 ms");
  CHECK(report::percent(1) == "100 %");
  CHECK(report::percent(0.99996) == "99.996 %");
  CHECK(report::percent(0.9999999) == "99.999 %");
  CHECK(report::percent(0.0002) == "< 0.1 %");
  CHECK(report::duration(3'500.4) == "58 min 20 s");
  CHECK(report::duration(12.34) == "12.3 s");
}
