#include "gui/charts/instance_lanes.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QThreadPool>
#include <algorithm>
#include <queue>

#include "gui/charts/chart_palette.h"
#include "gui/run/number_text.h"
#include "gui/charts/time_window.h"

namespace rackwright::gui {

InstanceLanes::InstanceLanes(TimeWindow& time, QWidget* parent) : TimeStrip(time, tr("Requests of one instance over time"), parent) { setMinimumHeight(90); }

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

QRectF InstanceLanes::room() const { return area(lineHeight() + 8, height() - lineHeight() - 8); }

double InstanceLanes::laneHeight() const { return std::clamp(room().height() / std::max(1u, layout_ ? layout_->lanes : 1u), 1.0, 18.0); }

void InstanceLanes::paintContent(QPainter& painter) {
  if (!layout_ || layout_->bars.empty()) return paintNote(painter, layout_ ? tr("No request was served here") : tr("Looking for the requests…"));
  const QRectF lanes = room();
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(area(4, 4 + lineHeight()), Qt::AlignLeft, tr("Requests"));
  paintGrid(painter, lanes.top(), lanes.bottom());
  paintMoments(painter, lanes.bottom() + 4);
  painter.setClipRect(lanes);
  std::vector<float> drawnUntil(layout_->lanes, -1);
  const auto first = std::ranges::lower_bound(layout_->bars, time().from_s() - layout_->longest_s, {}, [](const Bar& bar) { return bar.arrival.seconds(); });
  for (auto bar = first; bar != layout_->bars.end(); ++bar) {
    const results::RequestOutcome& request = (*rows_)[bar->row];
    if (request.arrival.seconds() > time().to_s()) break;
    const double top = lanes.top() + bar->lane * laneHeight();
    if (top > lanes.bottom()) continue;
    // What ends within a half pixel of the one before it in its lane shows nothing more.
    const auto end = static_cast<float>(x(request.last_token.seconds()));
    if (end - drawnUntil[bar->lane] < 0.5F) continue;
    drawnUntil[bar->lane] = end;
    paintBar(painter, request, top);
  }
  painter.setClipping(false);
}

void InstanceLanes::paintBar(QPainter& painter, const results::RequestOutcome& request, double top) const {
  const double gap = laneHeight() > 4 ? 1 : 0;
  const auto part = [&](Phase phase, SimTime from, SimTime to) {
    const double begin = x(from.seconds());
    const double length = x(to.seconds()) - begin;
    const double apart = phase == Phase::decode && length > 4 ? 1 : 0;  // Requests one after the other are told apart.
    painter.fillRect(QRectF(begin, top, std::max(0.6, length - apart), laneHeight() - gap), phaseColor(phase, palette()));
  };
  if (request.scheduled > request.arrival) part(Phase::waiting, request.arrival, request.scheduled);
  part(Phase::prefill, request.scheduled, request.first_token);
  part(Phase::decode, request.first_token, request.last_token);
}

const results::RequestOutcome* InstanceLanes::requestAt(const QPointF& at) const {
  if (!layout_ || !room().contains(at)) return nullptr;
  const auto lane = static_cast<std::uint32_t>((at.y() - room().top()) / laneHeight());
  const double seconds = secondsAt(at.x());
  for (const Bar& bar : layout_->bars) {
    const results::RequestOutcome& request = (*rows_)[bar.row];
    if (bar.lane == lane && request.arrival.seconds() <= seconds && seconds <= request.last_token.seconds()) return &request;
  }
  return nullptr;
}

QString InstanceLanes::textAt(const QPointF& at) const {
  const results::RequestOutcome* request = requestAt(at);
  if (!request) return {};
  return tr("Request %1: queue %2, TTFT %3, %4 output tokens in %5")
      .arg(QString::number(request->id), quantityText(request->queue().seconds(), "s"), quantityText(request->ttft().seconds(), "s"),
           countText(request->output_tokens), quantityText(request->e2e().seconds(), "s"));
}

void InstanceLanes::mousePressEvent(QMouseEvent* event) {
  TimeStrip::mousePressEvent(event);
  if (const results::RequestOutcome* request = requestAt(event->position())) Q_EMIT requestPicked(request->id);
}

}  // namespace rackwright::gui
