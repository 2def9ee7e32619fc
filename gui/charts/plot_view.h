#pragma once

#include <QFrame>
#include <memory>
#include <optional>

#include "scenarios/plots/plot.h"

class QChart;
class QChartView;
class QGraphicsLineItem;
class QLabel;

namespace rackwright::gui {

class ChartAxis;

/// Draws a plot description. The pointer tells the values under it; a dragged stretch of the x axis is zoomed into, a
/// double click shows everything again. A plot can be replaced while it is looked at; one that is out of sight is drawn
/// once it comes into sight.
class PlotView final : public QFrame {
  Q_OBJECT

 public:
  explicit PlotView(QWidget* parent = nullptr);
  ~PlotView() override;

  void setPlot(plots::Plot plot);
  const plots::Plot& plot() const { return plot_; }
  QSize sizeHint() const override { return {440, 270}; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Range {
    double from = 0;
    double to = 0;
  };

  void showTitle();
  void draw();
  void drawAxes();
  void drawSeries();
  void drawLimits();
  std::pair<Range, Range> shownRanges() const;
  void tell(const QPointF& at);
  double xAt(double pixel) const;

  plots::Plot plot_;
  bool outdated_ = false;  ///< What is drawn is of an earlier plot.
  std::optional<Range> zoom_;
  std::unique_ptr<ChartAxis> x_;
  std::unique_ptr<ChartAxis> y_;
  QLabel* title_;
  QChart* chart_;
  QChartView* view_;
  QGraphicsLineItem* hair_;
  std::optional<double> dragFrom_;
};

}  // namespace rackwright::gui
