#include "gui/charts/instance_lanes.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <queue>

#include "gui/charts/chart_axis.h"
#include "gui/charts/chart_palette.h"
#include "gui/charts/number_text.h"

namespace rackwright::gui {
namespace {

constexpr int axisHeight = 24;
constexpr double shortestPart_s = 0.05;

}  // namespace

InstanceLanes::InstanceLanes(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Requests of one instance over time"));
  setMinimumHeight(160);
}

void InstanceLanes::show(Rows rows, std::uint32_t instance) {
  rows_ = std::move(rows);
  bars_.clear();
  lanes_ = 0;
  end_s_ = 1e-3;
  longest_s_ = 0;
  if (!rows_) return update();
  for (std::uint32_t i = 0; i < rows_->size(); ++i) {
    const results::RequestOutcome& r = (*rows_)[i];
    if (r.instance == instance && r.output_tokens > 0) bars_.push_back({i, 0});
  }
  const auto arrival = [this](const Bar& bar) { return (*rows_)[bar.row].arrival; };
  std::ranges::sort(bars_, {}, arrival);
  // Each request takes the lowest lane that is free when it arrives.
  using Busy = std::pair<SimTime, std::uint32_t>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  for (Bar& bar : bars_) {
    const results::RequestOutcome& r = (*rows_)[bar.row];
    while (!busy.empty() && busy.top().first <= r.arrival) {
      free.push(busy.top().second);
      busy.pop();
    }
    bar.lane = free.empty() ? lanes_++ : free.top();
    if (!free.empty()) free.pop();
    busy.emplace(r.last_token, bar.lane);
    end_s_ = std::max(end_s_, r.last_token.seconds());
    longest_s_ = std::max(longest_s_, r.e2e().seconds());
  }
  // A minute, or the whole run if it is shorter: enough to see single requests.
  from_s_ = 0;
  to_s_ = std::min(end_s_, 60.0);
  update();
}

double InstanceLanes::x(double seconds) const { return (seconds - from_s_) / (to_s_ - from_s_) * width(); }

double InstanceLanes::laneHeight() const { return std::clamp((height() - axisHeight - 4.0) / std::max(1u, lanes_), 1.0, 18.0); }

void InstanceLanes::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (!rows_ || bars_.empty()) {
    painter.setPen(subtleColor(palette()));
    painter.drawText(rect(), Qt::AlignCenter, tr("No request was served here"));
    return;
  }
  const plots::Axis time{"", "s", plots::Scale::linear, false, std::nullopt};
  const ChartAxis axis(time, from_s_, to_s_, ChartAxis::Ends::exact);
  for (const AxisTick& tick : axis.ticks()) {
    const double at = tick.at * width();
    painter.setPen(gridColor(palette()));
    painter.drawLine(QPointF(at, 0), QPointF(at, height() - axisHeight));
    painter.setPen(subtleColor(palette()));
    const double wide = painter.fontMetrics().horizontalAdvance(tick.label) + 4;
    const double left = std::clamp(at - wide / 2, 4.0, width() - wide - 4);
    painter.drawText(QRectF(left, height() - axisHeight + 3, wide, axisHeight - 3), Qt::AlignHCenter, tick.label);
  }
  const double lane = laneHeight();
  const double gap = lane > 4 ? 1 : 0;
  const auto first = std::ranges::lower_bound(bars_, from_s_ - longest_s_, {}, [this](const Bar& bar) { return (*rows_)[bar.row].arrival.seconds(); });
  for (auto bar = first; bar != bars_.end(); ++bar) {
    const results::RequestOutcome& r = (*rows_)[bar->row];
    if (r.arrival.seconds() > to_s_) break;
    const double top = 2 + bar->lane * lane;
    if (top > height() - axisHeight) continue;
    const auto part = [&](Phase phase, SimTime from, SimTime to) {
      const double begin = x(from.seconds());
      const double length = x(to.seconds()) - begin;
      const double apart = phase == Phase::decode && length > 4 ? 1 : 0;  // Requests one after the other are told apart.
      painter.fillRect(QRectF(begin, top, std::max(0.6, length - apart), lane - gap), phaseColor(phase, palette()));
    };
    if (r.scheduled > r.arrival) part(Phase::waiting, r.arrival, r.scheduled);
    part(Phase::prefill, r.scheduled, r.first_token);
    part(Phase::decode, r.first_token, r.last_token);
  }
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Link), 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void InstanceLanes::zoom(double factor, double around) {
  const double length = std::clamp((to_s_ - from_s_) * factor, shortestPart_s, end_s_);
  const double middle = from_s_ + around * (to_s_ - from_s_);
  from_s_ = std::clamp(middle - around * length, 0.0, end_s_ - length);
  to_s_ = from_s_ + length;
  update();
}

void InstanceLanes::shift(double share) {
  const double length = to_s_ - from_s_;
  from_s_ = std::clamp(from_s_ + share * length, 0.0, std::max(0.0, end_s_ - length));
  to_s_ = from_s_ + length;
  update();
}

void InstanceLanes::wheelEvent(QWheelEvent* event) {
  const double turn = event->angleDelta().y() / 120.0;
  if (event->modifiers().testFlag(Qt::ShiftModifier)) shift(-0.15 * turn);
  else zoom(std::pow(0.8, turn), event->position().x() / width());
  event->accept();
}

void InstanceLanes::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(0.6, 0.5);
    case Qt::Key_Minus: return zoom(1 / 0.6, 0.5);
    case Qt::Key_Left: return shift(-0.3);
    case Qt::Key_Right: return shift(0.3);
    case Qt::Key_Home: return shift(-1e9);
    case Qt::Key_End: return shift(1e9);
    default: return QWidget::keyPressEvent(event);
  }
}

const results::RequestOutcome* InstanceLanes::requestAt(const QPointF& at) const {
  const auto lane = static_cast<std::uint32_t>(std::max(0.0, (at.y() - 2) / laneHeight()));
  const double seconds = from_s_ + at.x() / width() * (to_s_ - from_s_);
  for (const Bar& bar : bars_) {
    const results::RequestOutcome& r = (*rows_)[bar.row];
    if (bar.lane == lane && r.arrival.seconds() <= seconds && seconds <= r.last_token.seconds()) return &r;
  }
  return nullptr;
}

void InstanceLanes::mousePressEvent(QMouseEvent* event) {
  QWidget::mousePressEvent(event);
  setFocus();
  if (const results::RequestOutcome* request = requestAt(event->position())) Q_EMIT requestPicked(request->id);
}

bool InstanceLanes::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const results::RequestOutcome* r = requestAt(help->pos());
    if (r) {
      QToolTip::showText(help->globalPos(), tr("Request %1: queue %2, TTFT %3, %4 output tokens in %5")
                                                .arg(QString::number(r->id), quantityText(r->queue().seconds(), "s"), quantityText(r->ttft().seconds(), "s"),
                                                     countText(r->output_tokens), quantityText(r->e2e().seconds(), "s")), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace rackwright::gui
