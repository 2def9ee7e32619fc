#include "gui/charts/instance_lanes.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QThreadPool>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <queue>

#include "gui/charts/chart_axis.h"
#include "gui/charts/chart_palette.h"
#include "gui/charts/number_text.h"
#include "gui/charts/time_window.h"

namespace rackwright::gui {
namespace {

constexpr int axisHeight = 24;

}  // namespace

InstanceLanes::InstanceLanes(TimeWindow& window, QWidget* parent) : QWidget(parent), window_(window) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Requests of one instance over time"));
  setMinimumHeight(120);
  connect(&window_, &TimeWindow::changed, this, qOverload<>(&QWidget::update));
}

void InstanceLanes::show(Rows rows, std::uint32_t instance) {
  rows_ = std::move(rows);
  layout_.reset();
  generation_ = std::make_shared<int>(0);
  update();
  if (!rows_) return;
  QThreadPool::globalInstance()->start([this, rows = rows_, instance, generation = std::weak_ptr<int>(generation_)] {
    auto layout = std::make_shared<const Layout>(layoutOf(*rows, instance));
    // The application takes the answer: whether this widget is still there is known in its thread alone.
    QMetaObject::invokeMethod(QCoreApplication::instance(), [this, generation, layout] {
      if (generation.expired()) return;
      layout_ = layout;
      update();
    }, Qt::QueuedConnection);
  });
}

InstanceLanes::Layout InstanceLanes::layoutOf(const std::vector<results::RequestOutcome>& rows, std::uint32_t instance) {
  Layout layout;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].instance == instance && rows[i].output_tokens > 0) layout.bars.push_back({rows[i].arrival, i, 0});
  }
  std::ranges::sort(layout.bars, {}, &Bar::arrival);
  // Each request takes the lowest lane that is free when it arrives.
  using Busy = std::pair<SimTime, std::uint32_t>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  for (Bar& bar : layout.bars) {
    const results::RequestOutcome& r = rows[bar.row];
    while (!busy.empty() && busy.top().first <= r.arrival) {
      free.push(busy.top().second);
      busy.pop();
    }
    bar.lane = free.empty() ? layout.lanes++ : free.top();
    if (!free.empty()) free.pop();
    busy.emplace(r.last_token, bar.lane);
    layout.longest_s = std::max(layout.longest_s, r.e2e().seconds());
  }
  return layout;
}

double InstanceLanes::x(double seconds) const { return window_.x(seconds, width()); }

double InstanceLanes::laneHeight() const { return std::clamp((height() - axisHeight - 4.0) / std::max(1u, layout_ ? layout_->lanes : 1u), 1.0, 18.0); }

void InstanceLanes::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (!layout_ || layout_->bars.empty()) {
    painter.setPen(subtleColor(palette()));
    painter.drawText(rect(), Qt::AlignCenter, layout_ ? tr("No request was served here") : tr("Looking for the requests…"));
    return;
  }
  const plots::Axis time{"", "s", plots::Scale::linear, false, std::nullopt};
  const ChartAxis axis(time, window_.from_s(), window_.to_s(), ChartAxis::Ends::exact);
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
  std::vector<float> drawnUntil(layout_->lanes, -1);
  const auto first = std::ranges::lower_bound(layout_->bars, window_.from_s() - layout_->longest_s, {}, [](const Bar& bar) { return bar.arrival.seconds(); });
  for (auto bar = first; bar != layout_->bars.end(); ++bar) {
    const results::RequestOutcome& r = (*rows_)[bar->row];
    if (r.arrival.seconds() > window_.to_s()) break;
    const double top = 2 + bar->lane * lane;
    if (top > height() - axisHeight) continue;
    // What ends within a half pixel of the one before it in its lane shows nothing more.
    const auto end = static_cast<float>(x(r.last_token.seconds()));
    if (end - drawnUntil[bar->lane] < 0.5F) continue;
    drawnUntil[bar->lane] = end;
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

void InstanceLanes::wheelEvent(QWheelEvent* event) { window_.take(*event, width()); }

void InstanceLanes::keyPressEvent(QKeyEvent* event) {
  if (!window_.take(*event)) QWidget::keyPressEvent(event);
}

const results::RequestOutcome* InstanceLanes::requestAt(const QPointF& at) const {
  const auto lane = static_cast<std::uint32_t>(std::max(0.0, (at.y() - 2) / laneHeight()));
  const double seconds = window_.secondsAt(at.x(), width());
  if (!layout_) return nullptr;
  for (const Bar& bar : layout_->bars) {
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
