#include "sim/report/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "sim/report/axis_scale.h"

namespace rackwright::report {
namespace {

// A figure of 560 × 300 units, text of 12. The plotting area leaves room for tick labels and a legend.
constexpr double width = 560;
constexpr double height = 300;
constexpr double narrowest_margin = 62;
constexpr double right = width - 14;
constexpr double top = 34;
constexpr double bottom = height - 42;

// Okabe and Ito's colours, which people with any common colour blindness can tell apart, without the
// yellow that vanishes on white (M. Okabe, K. Ito, "Color Universal Design", 2008).
constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5c636b"};
constexpr std::array<const char*, 4> dashes{"", "7 3", "2 3", "9 3 2 3"};

std::string colour(std::size_t series) {
  const std::size_t index = series % colours.size();
  return fmt::format("var(--series-{},{})", index, colours[index]);
}

std::string stroke(std::size_t series) {
  std::string style = fmt::format("stroke=\"{}\"", colour(series));
  if (const char* dash = dashes[series % dashes.size()]; *dash) style += fmt::format(" stroke-dasharray=\"{}\"", dash);
  return style;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

class Drawing {
 public:
  explicit Drawing(const plots::Plot& plot)
      : plot_(plot), x_(plot.x, range(&plots::Point::x).low, range(&plots::Point::x).high),
        y_(plot.y, range(&plots::Point::y).low, range(&plots::Point::y).high), left_(margin(y_)) {}

  std::string svg() {
    add("<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-t {}-d\" font-size=\"12\">", width,
        height, plot_.id, plot_.id);
    add("<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>", plot_.id, escaped(plot_.title), plot_.id,
        escaped(plot_.caption));
    draw_axes();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_spread(i);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_series(i);
    draw_limits();
    draw_legend();
    add("</svg>");
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  Range range(double plots::Point::*side) const {
    Range range;
    for (const plots::Series& series : plot_.series) {
      for (const plots::Point& point : series.points) range.include(point.*side);
      if (side != &plots::Point::y) continue;
      for (const plots::Spread& spread : series.spread) range.include(spread.high);
    }
    if (side == &plots::Point::y) {
      for (const plots::Limit& limit : plot_.limits) range.include(limit.y);
    } else {
      for (const plots::Limit& limit : plot_.limits) range.include(limit.x.value_or(range.low));
    }
    if (range.low > range.high) return {0, 1};
    return range;
  }

  /// Room for the axis' name, set upright, and its tick labels.
  static double margin(const AxisScale& axis) {
    std::size_t longest = 0;
    for (const Tick& tick : axis.ticks()) longest = std::max(longest, tick.label.size());
    return std::max(narrowest_margin, 32 + 6.8 * static_cast<double>(longest));
  }

  double x(double value) const { return left_ + (right - left_) * x_.place(value); }
  double y(double value) const { return bottom - (bottom - top) * y_.place(value); }

  void draw_axes() {
    add("<g stroke=\"var(--rule,#e3e5e8)\" stroke-width=\"1\">");
    for (const Tick& tick : y_.ticks()) {
      const double at = bottom - (bottom - top) * tick.at;
      add("<path d=\"M{:.1f} {:.1f}H{:.1f}\"{}/>", left_, at, right, tick.label.empty() ? " opacity=\".5\"" : "");
    }
    for (const Tick& tick : x_.ticks()) {
      const double at = left_ + (right - left_) * tick.at;
      add("<path d=\"M{:.1f} {:.1f}v5\"/>", at, bottom);
    }
    add("</g><g fill=\"var(--muted,#5c636b)\">");
    for (const Tick& tick : y_.ticks()) {
      if (tick.label.empty()) continue;
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left_ - 8,
          bottom - (bottom - top) * tick.at + 4, escaped(tick.label));
    }
    double free_from = -1;
    for (const Tick& tick : x_.ticks()) {
      const double at = left_ + (right - left_) * tick.at;
      const double half = 3.4 * static_cast<double>(tick.label.size());
      if (tick.label.empty() || at - half < free_from) continue;
      free_from = at + half + 4;
      const char* anchor = at + half > width ? "end" : "middle";
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", *anchor == 'e' ? width : at, bottom + 18,
          anchor, escaped(tick.label));
    }
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", (left_ + right) / 2, height - 5,
        escaped(x_.label()));
    add("<text transform=\"translate(12 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text></g>", (top + bottom) / 2,
        escaped(y_.label()));
  }

  /// Labels stand at the left, one after the other where limits lie close together.
  void draw_limits() {
    struct Label { double y, x; };
    std::vector<Label> placed;
    for (const plots::Limit& limit : plot_.limits) {
      const double at = y(limit.y);
      Label label{at < top + 8 ? at + 14 : at - 5, left_ + 6};
      constexpr double line = 13;
      for (const Label& other : placed)
        if (std::abs(other.y - label.y) < line) label.x = std::max(label.x, other.x + 12);
      add("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"var(--limit,#8a1c1c)\" stroke-width=\"1\" stroke-dasharray=\"3 "
          "3\"/>",
          left_, at, right);
      if (limit.x) add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"var(--limit,#8a1c1c)\"/>", x(*limit.x), at);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"var(--limit,#8a1c1c)\" stroke=\"var(--paper,#fff)\" stroke-width=\"3\" "
          "paint-order=\"stroke\">{}</text>", label.x, label.y, escaped(limit.label));  // Never into the legend.
      placed.push_back({label.y, label.x + 6.4 * static_cast<double>(limit.label.size())});
    }
  }

  void draw_spread(std::size_t index) {
    const plots::Series& series = plot_.series[index];
    if (series.spread.size() != series.points.size() || series.points.empty()) return;
    add("<path fill=\"{}\" fill-opacity=\".16\" d=\"M{:.1f} {:.1f}", colour(index), x(series.points[0].x),
        y(series.spread[0].high));
    for (std::size_t i = 1; i < series.points.size(); ++i)
      add("H{:.1f}V{:.1f}", x(series.points[i].x), y(series.spread[i].high));
    add("V{:.1f}", y(series.spread.back().low));
    for (std::size_t i = series.points.size() - 1; i > 0; --i)
      add("V{:.1f}H{:.1f}", y(series.spread[i - 1].low), x(series.points[i - 1].x));
    add("Z\"/>");
  }

  void draw_series(std::size_t index) {
    const plots::Series& series = plot_.series[index];
    add("<path fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\" {} d=\"", stroke(index));
    bool pen_down = false;
    for (const plots::Point& point : series.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) {
        pen_down = false;
        continue;
      }
      if (!pen_down) {
        add("M{:.1f} {:.1f}", x(point.x), y(point.y));
      } else if (series.shape == plots::Shape::steps) {
        add("H{:.1f}V{:.1f}", x(point.x), y(point.y));
      } else {
        add("L{:.1f} {:.1f}", x(point.x), y(point.y));
      }
      pen_down = true;
    }
    add("\"/>");
  }

  void draw_legend() {
    if (plot_.series.size() < 2) return;
    double at = left_;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const std::string name = plot_.series[i].name;
      const double length = 34 + 6.6 * static_cast<double>(name.size());
      if (at + length > width) break;  // The table beside the figure names them all.
      add("<path fill=\"none\" stroke-width=\"2.4\" {} d=\"M{:.1f} 14h20\"/>", stroke(i), at);
      add("<text x=\"{:.1f}\" y=\"18\" fill=\"var(--ink,#1a1c1f)\">{}</text>", at + 25, escaped(name));
      at += length + 8;
    }
  }

  const plots::Plot& plot_;
  AxisScale x_;
  AxisScale y_;
  double left_;  ///< Where the plotting area begins.
  std::string text_;
};

}  // namespace

std::string to_svg(const plots::Plot& plot) { return Drawing(plot).svg(); }

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

}  // namespace rackwright::report
