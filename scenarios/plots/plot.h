#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright::plots {

enum class Scale {
  linear,
  logarithmic,
  /// Probabilities in [0, 1) by their distance from 1: 0, 90 %, 99 %, 99.9 % are equally far apart.
  nines,
};

struct Axis {
  std::string label;
  std::string dimension;  ///< The unit in which values are kept: "s", "W", "1/s", "fraction"; "" for a count.
  Scale scale = Scale::linear;
  bool from_zero = true;  ///< Whether a linear axis includes 0.
  std::optional<double> maximum{};  ///< At least this far.
};

struct Point {
  double x = 0;
  double y = 0;
};

enum class Shape {
  line,
  steps,  ///< Each value holds until the next x.
};

/// The lowest and the highest of the values behind one point.
struct Spread {
  double low = 0;
  double high = 0;
};

struct Series {
  std::string name;
  Shape shape = Shape::line;
  std::vector<Point> points;    ///< In order of x; not drawn where x or y is not finite.
  std::vector<Spread> spread{};  ///< One for each point, or none.
};

/// A limit that the values are judged by: a line across at y, with a dot at x where it counts.
struct Limit {
  std::string label;
  double y = 0;
  std::optional<double> x{};
};

/// What to draw, without saying how: as SVG in a report, by Qt Charts in a window, on a PDF page.
struct Plot {
  std::string id;       ///< A word that is unique in a report: "latency".
  std::string title;
  std::string caption;  ///< How to read it, a sentence.
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<Limit> limits;
};

/// Plots that belong under one heading.
struct PlotGroup {
  std::string title;
  std::vector<Plot> plots;
};

/// Equal bins from 0 as points that a figure can show: at most `limit` of them, each the mean of its
/// neighbours with their spread. `end` is where the last bin ends.
Series binned(std::string name, const std::vector<double>& values, double period, double end, std::size_t limit);

}  // namespace rackwright::plots
