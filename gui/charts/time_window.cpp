#include "gui/charts/time_window.h"

#include <QKeyEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace rackwright::gui {
namespace {

/// A step of a small model takes a few milliseconds; this shows it wide.
constexpr double shortestPart_s = 0.002;
constexpr double firstPart_s = 60;

}  // namespace

void TimeWindow::reset(double end_s) {
  end_s_ = std::max(end_s, shortestPart_s);
  show(0, std::min(end_s_, firstPart_s));
}

void TimeWindow::show(double from_s, double to_s) {
  const double length = std::clamp(to_s - from_s, shortestPart_s, end_s_);
  const double from = std::clamp(from_s, 0.0, end_s_ - length);
  from_s_ = from;
  to_s_ = from + length;
  Q_EMIT changed();
}

void TimeWindow::zoom(double factor, double around) {
  const double length = std::clamp(length_s() * factor, shortestPart_s, end_s_);
  const double from = from_s_ + around * (length_s() - length);
  show(from, from + length);
}

void TimeWindow::shift(double share) { show(from_s_ + share * length_s(), to_s_ + share * length_s()); }

void TimeWindow::take(QWheelEvent& event, double around) {
  // Alt and some mice turn the wheel sideways.
  const QPoint turned = event.angleDelta();
  const double turn = (turned.y() != 0 ? turned.y() : turned.x()) / 120.0;
  if (event.modifiers().testFlag(Qt::ShiftModifier) || turned.y() == 0) shift(-0.15 * turn);
  else zoom(std::pow(0.8, turn), around);
  event.accept();
}

bool TimeWindow::take(const QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(0.6, 0.5); return true;
    case Qt::Key_Minus: zoom(1 / 0.6, 0.5); return true;
    case Qt::Key_Left: shift(-0.3); return true;
    case Qt::Key_Right: shift(0.3); return true;
    case Qt::Key_Home: show(0, length_s()); return true;
    case Qt::Key_End: show(end_s_ - length_s(), end_s_); return true;
    default: return false;
  }
}

}  // namespace rackwright::gui
