#include "gui/charts/time_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <vector>

#include "gui/charts/chart_axis.h"
#include "gui/charts/chart_palette.h"
#include "gui/charts/time_window.h"

namespace rackwright::gui {
namespace {

constexpr double leftMargin = 58;
constexpr double rightMargin = 14;

std::vector<AxisTick> moments(const TimeWindow& time) {
  const plots::Axis axis{"", "s", plots::Scale::linear, false, std::nullopt};
  return ChartAxis(axis, time.from_s(), time.to_s(), ChartAxis::Ends::exact).ticks();
}

}  // namespace

TimeStrip::TimeStrip(TimeWindow& time, const QString& name, QWidget* parent) : QWidget(parent), time_(time) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(name);
  connect(&time_, &TimeWindow::changed, this, qOverload<>(&QWidget::update));
}

QRectF TimeStrip::area(double top, double bottom) const { return {leftMargin, top, std::max(1.0, width() - leftMargin - rightMargin), bottom - top}; }

double TimeStrip::x(double seconds) const { return leftMargin + time_.x(seconds, area(0, 0).width()); }
double TimeStrip::secondsAt(double x) const { return time_.secondsAt(x - leftMargin, area(0, 0).width()); }
double TimeStrip::lineHeight() const { return fontMetrics().height(); }

void TimeStrip::paintGrid(QPainter& painter, double top, double bottom) const {
  const QRectF lines = area(top, bottom);
  painter.setPen(gridColor(palette()));
  for (const AxisTick& tick : moments(time_)) {
    const double at = lines.left() + tick.at * lines.width();
    painter.drawLine(QPointF(at, top), QPointF(at, bottom));
  }
}

void TimeStrip::paintMoments(QPainter& painter, double top) const {
  const QRectF lines = area(top, top + lineHeight());
  painter.setPen(subtleColor(palette()));
  for (const AxisTick& tick : moments(time_)) {
    const double wide = painter.fontMetrics().horizontalAdvance(tick.label) + 4;
    const double left = std::min(lines.left() + tick.at * lines.width() - wide / 2, width() - wide);
    painter.drawText(QRectF(left, top, wide, lineHeight()), Qt::AlignHCenter, tick.label);
  }
}

void TimeStrip::paintNote(QPainter& painter, const QString& text) const {
  painter.setPen(subtleColor(palette()));
  painter.drawText(rect(), Qt::AlignCenter, text);
}

void TimeStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  paintContent(painter);
  if (!hasFocus()) return;
  painter.setPen(QPen(palette().color(QPalette::Link), 1));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void TimeStrip::wheelEvent(QWheelEvent* event) {
  const QRectF lines = area(0, 0);
  time_.take(*event, std::clamp((event->position().x() - lines.left()) / lines.width(), 0.0, 1.0));
}

void TimeStrip::keyPressEvent(QKeyEvent* event) {
  if (!time_.take(*event)) QWidget::keyPressEvent(event);
}

void TimeStrip::mousePressEvent(QMouseEvent* event) {
  QWidget::mousePressEvent(event);
  setFocus();
}

bool TimeStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = textAt(help->pos());
  if (text.isEmpty()) QToolTip::hideText();
  else QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace rackwright::gui
