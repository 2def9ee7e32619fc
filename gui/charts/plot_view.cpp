#include "gui/charts/plot_view.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QGraphicsLineItem>
#include <QGraphicsLayout>
#include <QLabel>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/charts/chart_axis.h"
#include "gui/charts/chart_palette.h"

namespace rackwright::gui {
namespace {

/// A part shorter than this was no drag.
constexpr double shortestDrag_px = 8;
/// More points than this in a line are not seen; the extremes of each stretch are kept.
constexpr std::size_t mostPoints = 1500;

/// The points between two x, with the lowest and highest of each stretch where there are too many.
std::vector<plots::Point> decimated(const std::vector<plots::Point>& points, double from, double to) {
  const auto byX = [](const plots::Point& p, double x) { return p.x < x; };
  auto first = std::lower_bound(points.begin(), points.end(), from, byX);
  auto last = std::lower_bound(first, points.end(), to, byX);
  if (first != points.begin()) --first;  // The lines into and out of the part are seen as well.
  if (last != points.end()) ++last;
  const auto size = static_cast<std::size_t>(last - first);
  if (size <= mostPoints) return {first, last};
  std::vector<plots::Point> kept;
  const std::size_t stretches = mostPoints / 2;
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = first + static_cast<std::ptrdiff_t>(i * size / stretches);
    const auto end = first + static_cast<std::ptrdiff_t>((i + 1) * size / stretches);
    auto [low, high] = std::minmax_element(begin, end, [](const auto& a, const auto& b) { return a.y < b.y; });
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
  }
  return kept;
}

void replaceAxis(QChart& chart, const ChartAxis& scale, Qt::Alignment side, const QPalette& palette) {
  auto* axis = new QCategoryAxis;
  axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis->setRange(0, 1);
  axis->setStartValue(-1);
  QString invisible;
  for (const AxisTick& tick : scale.ticks()) {
    invisible += QChar(0x200B);  // Labels must differ from one another, even those that read alike.
    axis->append(tick.label + invisible, tick.at);
  }
  axis->setLabelsColor(subtleColor(palette));
  axis->setGridLineColor(gridColor(palette));
  axis->setLinePenColor(gridColor(palette));
  axis->setGridLineVisible(side == Qt::AlignLeft);
  QFont small = QFont();
  small.setPointSizeF(small.pointSizeF() * 0.88);
  axis->setLabelsFont(small);
  axis->setTruncateLabels(false);
  chart.addAxis(axis, side);
}

}  // namespace

PlotView::PlotView(QWidget* parent) : QFrame(parent), title_(new QLabel), chart_(new QChart), view_(new QChartView(chart_)), hair_(nullptr) {
  setProperty("card", true);
  title_->setContentsMargins(13, 10, 13, 0);
  title_->setTextFormat(Qt::RichText);
  title_->setWordWrap(true);
  chart_->setMargins(QMargins(2, 10, 22, 0));  // Half a label stands out beyond either end of an axis.
  chart_->layout()->setContentsMargins(0, 0, 0, 0);
  chart_->setBackgroundRoundness(0);
  chart_->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
  chart_->legend()->setAlignment(Qt::AlignBottom);
  view_->setRenderHint(QPainter::Antialiasing);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setMouseTracking(true);
  view_->viewport()->setMouseTracking(true);
  view_->viewport()->installEventFilter(this);
  hair_ = new QGraphicsLineItem(chart_);
  hair_->setZValue(10);
  hair_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 0, 2, 6);  // The corners of a card are round.
  layout->setSpacing(0);
  layout->addWidget(title_);
  layout->addWidget(view_, 1);
  setMinimumSize(300, 230);
}

PlotView::~PlotView() = default;

void PlotView::setPlot(plots::Plot plot) {
  plot_ = std::move(plot);
  setAccessibleName(QString::fromStdString(plot_.title));
  view_->setAccessibleName(accessibleName());
  setAccessibleDescription(QString::fromStdString(plot_.caption));
  title_->setToolTip(QString::fromStdString(plot_.caption));
  showTitle();
  outdated_ = true;
  view_->setBackgroundBrush(palette().color(QPalette::Base));
  chart_->setBackgroundBrush(palette().color(QPalette::Base));
  update();
}

/// What is drawn, and where its y axis says more, what that counts.
void PlotView::showTitle() {
  QString text = QStringLiteral("<b>%1</b>").arg(QString::fromStdString(plot_.title).toHtmlEscaped());
  if (!plot_.y.label.empty() && plot_.y.label != plot_.title) {
    text += QStringLiteral("&nbsp;&nbsp; <span style='color:%1'>%2</span>").arg(subtleColor(palette()).name(), QString::fromStdString(plot_.y.label).toHtmlEscaped());
  }
  title_->setText(text);
}

void PlotView::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  if (!outdated_) return;
  outdated_ = false;
  // In a turn of its own: a page of charts would else be one long turn.
  QMetaObject::invokeMethod(this, &PlotView::draw, Qt::QueuedConnection);
}

std::pair<PlotView::Range, PlotView::Range> PlotView::shownRanges() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range x{infinity, -infinity}, y{infinity, -infinity};
  const auto include = [](Range& range, double value) {
    if (!std::isfinite(value)) return;
    range.from = std::min(range.from, value);
    range.to = std::max(range.to, value);
  };
  for (const plots::Series& series : plot_.series) {
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const plots::Point& point = series.points[i];
      if (zoom_ && (point.x < zoom_->from || point.x > zoom_->to)) continue;
      include(x, point.x);
      include(y, point.y);
      if (i < series.spread.size()) include(y, series.spread[i].high);
    }
  }
  for (const plots::Limit& limit : plot_.limits) include(y, limit.y);
  if (x.from > x.to) x = {0, 1};
  if (y.from > y.to) y = {0, 1};
  if (zoom_) x = *zoom_;
  return {x, y};
}

void PlotView::draw() {
  chart_->setBackgroundBrush(palette().color(QPalette::Base));
  view_->setBackgroundBrush(palette().color(QPalette::Base));
  chart_->removeAllSeries();
  for (QAbstractAxis* axis : chart_->axes()) {
    chart_->removeAxis(axis);
    delete axis;
  }
  const auto [x, y] = shownRanges();
  x_ = std::make_unique<ChartAxis>(plot_.x, x.from, x.to, zoom_ ? ChartAxis::Ends::exact : ChartAxis::Ends::rounded);
  y_ = std::make_unique<ChartAxis>(plot_.y, y.from, y.to);
  drawAxes();
  drawSeries();
  drawLimits();
  chart_->legend()->setVisible(plot_.series.size() > 1 || !plot_.limits.empty());
  chart_->legend()->setLabelColor(palette().color(QPalette::Text));
  hair_->setPen(QPen(subtleColor(palette()), 1));
  hair_->hide();
}

void PlotView::drawAxes() {
  replaceAxis(*chart_, *x_, Qt::AlignBottom, palette());
  replaceAxis(*chart_, *y_, Qt::AlignLeft, palette());
}

void PlotView::drawSeries() {
  const auto attach = [this](QAbstractSeries* series) {
    chart_->addSeries(series);
    for (QAbstractAxis* axis : chart_->axes()) series->attachAxis(axis);
  };
  const auto [x, y] = shownRanges();
  for (std::size_t i = 0; i < plot_.series.size(); ++i) {
    const plots::Series& from = plot_.series[i];
    if (!from.spread.empty() && from.spread.size() == from.points.size()) {
      auto* low = new QLineSeries(this);
      auto* high = new QLineSeries(this);
      for (std::size_t p = 0; p < from.points.size(); ++p) {
        low->append(x_->place(from.points[p].x), y_->place(from.spread[p].low));
        high->append(x_->place(from.points[p].x), y_->place(from.spread[p].high));
      }
      auto* band = new QAreaSeries(high, low);
      low->setParent(band);
      high->setParent(band);
      QColor fill = seriesColor(i, palette());
      fill.setAlphaF(0.16F);
      band->setBrush(fill);
      band->setPen(Qt::NoPen);
      attach(band);
      for (QLegendMarker* marker : chart_->legend()->markers(band)) marker->setVisible(false);
    }
    QList<QPointF> points;
    for (const plots::Point& point : decimated(from.points, x.from, x.to)) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      const QPointF at(x_->place(point.x), std::max(0.0, y_->place(point.y)));
      if (from.shape == plots::Shape::steps && !points.isEmpty()) points.push_back({at.x(), points.back().y()});
      points.push_back(at);
    }
    auto* line = new QLineSeries;
    line->setName(QString::fromStdString(from.name));
    line->setPen(seriesPen(i, palette()));
    line->replace(points);
    attach(line);
  }
}

void PlotView::drawLimits() {
  for (const plots::Limit& limit : plot_.limits) {
    auto* line = new QLineSeries;
    line->setName(QString::fromStdString(limit.label));
    line->setPen(QPen(limitColor(palette()), 1.2, Qt::DashLine));
    line->append(0, y_->place(limit.y));
    line->append(1, y_->place(limit.y));
    chart_->addSeries(line);
    for (QAbstractAxis* axis : chart_->axes()) line->attachAxis(axis);
    if (!limit.x) continue;
    auto* dot = new QScatterSeries;
    dot->setMarkerSize(8);
    dot->setColor(limitColor(palette()));
    dot->setBorderColor(Qt::transparent);
    dot->append(x_->place(*limit.x), y_->place(limit.y));
    chart_->addSeries(dot);
    for (QAbstractAxis* axis : chart_->axes()) dot->attachAxis(axis);
    for (QLegendMarker* marker : chart_->legend()->markers(dot)) marker->setVisible(false);
  }
}

double PlotView::xAt(double pixel) const {
  const QRectF area = chart_->plotArea();
  return x_->valueAt(std::clamp((pixel - area.left()) / area.width(), 0.0, 1.0));
}

void PlotView::tell(const QPointF& at) {
  const QRectF area = chart_->plotArea();
  if (!area.contains(at)) {
    hair_->hide();
    return;
  }
  const double x = xAt(at.x());
  QString text = QStringLiteral("<b>%1</b><table>").arg(x_->text(x));
  for (const plots::Series& series : plot_.series) {
    const auto next = std::lower_bound(series.points.begin(), series.points.end(), x, [](const plots::Point& p, double value) { return p.x < value; });
    if (series.points.empty()) continue;
    auto nearest = next == series.points.end() ? std::prev(next) : next;
    if (next != series.points.begin() && next != series.points.end() && x - std::prev(next)->x < next->x - x) nearest = std::prev(next);
    text += QStringLiteral("<tr><td>%1&nbsp;</td><td align=right>%2</td></tr>").arg(QString::fromStdString(series.name).toHtmlEscaped(), y_->text(nearest->y));
  }
  text += QStringLiteral("</table>");
  hair_->setLine(at.x(), area.top(), at.x(), area.bottom());
  hair_->show();
  QToolTip::showText(view_->mapToGlobal(at.toPoint() + QPoint(14, 8)), text, view_);
}

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
  if (!x_) return QFrame::eventFilter(watched, event);
  switch (event->type()) {
    case QEvent::MouseMove: tell(static_cast<QMouseEvent*>(event)->position()); break;
    case QEvent::Leave: hair_->hide(); break;
    case QEvent::MouseButtonPress: dragFrom_ = static_cast<QMouseEvent*>(event)->position().x(); break;
    case QEvent::MouseButtonRelease: {
      const double to = static_cast<QMouseEvent*>(event)->position().x();
      if (dragFrom_ && std::abs(to - *dragFrom_) > shortestDrag_px) {
        const auto [low, high] = std::minmax(xAt(*dragFrom_), xAt(to));
        zoom_ = Range{low, high};
        draw();
      }
      dragFrom_.reset();
      break;
    }
    case QEvent::MouseButtonDblClick:
      zoom_.reset();
      draw();
      break;
    default: break;
  }
  return QFrame::eventFilter(watched, event);
}

void PlotView::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !x_) return;
  showTitle();
  draw();
}

}  // namespace rackwright::gui
