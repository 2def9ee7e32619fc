#include "gui/charts/step_tracks.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/charts/chart_axis.h"
#include "gui/charts/chart_palette.h"
#include "gui/run/number_text.h"
#include "gui/charts/time_window.h"
#include "gui/run/step_columns.h"

namespace rackwright::gui {
namespace {

using results::StepKind;

constexpr double kindsHeight = 22;
/// What is narrower would not be seen.
constexpr double narrowestBar_px = 1;
/// Steps narrower than this are not told apart.
constexpr double narrowestStep_px = 3;

}  // namespace

StepTracks::StepTracks(TimeWindow& time, QWidget* parent) : TimeStrip(time, tr("Steps of one instance over time"), parent) {
  setMinimumHeight(190);
  connect(&time, &TimeWindow::changed, this, &StepTracks::ask);
  connect(&source_, &StepSource::answered, this, &StepTracks::take);
}

void StepTracks::setSteps(SharedSteps steps, std::uint32_t instance) {
  source_.setSteps(std::move(steps));
  instance_ = instance;
  shown_.reset();
  bars_.clear();
  ask();
  update();
}

void StepTracks::ask() {
  source_.ask(instance_, sim_time(time().from_s()), sim_time(time().to_s()), static_cast<std::size_t>(area(0, 0).width()));
}

void StepTracks::take(std::shared_ptr<const StepWindow> answer) {
  if (answer->instance != instance_) return;
  shown_ = std::move(answer);
  bars_.clear();
  if (!shown_->stretches.empty()) {
    for (const results::StepStretch& s : shown_->stretches) {
      Bar bar{s.start.seconds(), s.end.seconds(), {}, static_cast<double>(s.sequences()), 0, 0, &s};
      bar.busy[static_cast<std::size_t>(s.kind())] = 1;
      const double length_s = std::max((s.end - s.start).seconds(), 1e-12);
      bar.prefillRate = static_cast<double>(s.prefill_tokens) * static_cast<double>(s.steps) / length_s;
      bar.decodeRate = static_cast<double>(s.decode_tokens(s.steps)) / length_s;
      bars_.push_back(bar);
    }
  } else {
    const double part_s = (shown_->to - shown_->from).seconds() / static_cast<double>(std::max<std::size_t>(shown_->parts.size(), 1));
    for (std::size_t i = 0; i < shown_->parts.size(); ++i) {
      const results::StepTotals& part = shown_->parts[i];
      const double from_s = shown_->from.seconds() + part_s * static_cast<double>(i);
      Bar bar{from_s, from_s + part_s, {}, part.mean_batch(), static_cast<double>(part.prefill_tokens) / part_s, static_cast<double>(part.decode_tokens) / part_s, nullptr};
      for (std::size_t kind = 0; kind < bar.busy.size(); ++kind) bar.busy[kind] = static_cast<double>(part.busy_ps[kind]) / 1e12 / part_s;
      bars_.push_back(bar);
    }
  }
  update();
}

QRectF StepTracks::place(const Bar& bar, const QRectF& track) const {
  const double left = std::max(track.left(), x(bar.from_s));
  const double right = std::min(track.right(), x(bar.to_s));
  const bool inside = right > track.left() && left < track.right();
  return {left, track.top(), inside ? std::max(right - left, narrowestBar_px) : 0.0, track.height()};
}

void StepTracks::paintName(QPainter& painter, const QRectF& track, const QString& name) const {
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(area(track.top() - lineHeight() - 2, track.top()), Qt::AlignLeft, name);
}

template <class Height>
void StepTracks::paintTrack(QPainter& painter, const QRectF& track, const QString& name, const QColor& color, Height height) const {
  paintName(painter, track, name);
  double highest = 1;
  for (const Bar& bar : bars_) highest = std::max(highest, height(bar));
  const ChartAxis scale({"", "", plots::Scale::linear, true, std::nullopt}, 0, highest);
  const auto y = [&](double at) { return track.bottom() - at * track.height(); };
  double lowestText = track.bottom() + lineHeight();
  for (const AxisTick& tick : scale.ticks()) {
    painter.setPen(gridColor(palette()));
    painter.drawLine(QPointF(track.left(), y(tick.at)), QPointF(track.right(), y(tick.at)));
    if (lowestText - y(tick.at) < lineHeight()) continue;
    lowestText = y(tick.at);
    painter.setPen(subtleColor(palette()));
    painter.drawText(QRectF(0, y(tick.at) - lineHeight() / 2, track.left() - 8, lineHeight()), Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  for (const Bar& bar : bars_) {
    QRectF column = place(bar, track);
    column.setTop(y(scale.place(height(bar))));
    if (column.width() > 0 && column.height() > 0) painter.fillRect(column, color);
  }
}

void StepTracks::paintKinds(QPainter& painter, const QRectF& track) const {
  paintName(painter, track, tr("What the steps compute"));
  for (const Bar& bar : bars_) {
    const QRectF column = place(bar, track);
    if (column.width() <= 0) continue;
    double bottom = track.bottom();
    for (const StepKind kind : {StepKind::decode, StepKind::mixed, StepKind::prefill, StepKind::other}) {
      const double tall = std::min(1.0, bar.busy[static_cast<std::size_t>(kind)]) * track.height();
      if (tall <= 0) continue;
      painter.fillRect(QRectF(column.left(), bottom - tall, column.width(), tall), stepColor(kind, palette()));
      bottom -= tall;
    }
    const bool apart = bar.stretch && bar.stretch->steps > 0 && x(bar.to_s) - x(bar.from_s) >= narrowestStep_px * static_cast<double>(bar.stretch->steps);
    if (apart) paintBoundaries(painter, track, *bar.stretch);
  }
}

void StepTracks::paintBoundaries(QPainter& painter, const QRectF& track, const results::StepStretch& stretch) const {
  painter.setPen(QPen(palette().color(QPalette::Base), 1));
  for (std::int64_t k = std::max<std::int64_t>(stretch.steps_ended(sim_time(time().from_s())), 0); k <= stretch.steps; ++k) {
    const double at = x(stretch.boundary(k).seconds());
    if (at > track.right()) return;
    if (at >= track.left()) painter.drawLine(QPointF(at, track.top()), QPointF(at, track.bottom()));
  }
}

void StepTracks::paintContent(QPainter& painter) {
  if (!shown_ || !shown_->problem.isEmpty()) return paintNote(painter, shown_ ? shown_->problem : tr("Reading the steps…"));
  const double above = lineHeight() + 8;  // The name of a track, and air.
  const double tall = std::max(20.0, (height() - kindsHeight - 4 * above - 6) / 3);
  const QRectF kinds = area(above, above + kindsHeight);
  const QRectF batch = area(kinds.bottom() + above, kinds.bottom() + above + tall);
  const QRectF decoded = batch.translated(0, tall + above);
  const QRectF prompts = decoded.translated(0, tall + above);
  for (const QRectF& track : {kinds, batch, decoded, prompts}) paintGrid(painter, track.top(), track.bottom());
  paintKinds(painter, kinds);
  const QColor decode = stepColor(StepKind::decode, palette());
  paintTrack(painter, batch, tr("Sequences in a step"), decode, [](const Bar& bar) { return bar.batch; });
  paintTrack(painter, decoded, tr("Tokens decoded per second"), decode, [](const Bar& bar) { return bar.decodeRate; });
  paintTrack(painter, prompts, tr("Prompt tokens per second"), stepColor(StepKind::prefill, palette()), [](const Bar& bar) { return bar.prefillRate; });
}

void StepTracks::resizeEvent(QResizeEvent* event) {
  TimeStrip::resizeEvent(event);
  ask();
}

void StepTracks::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return TimeStrip::keyPressEvent(event);
  Q_EMIT stepPicked(sim_time((time().from_s() + time().to_s()) / 2));
}

void StepTracks::mousePressEvent(QMouseEvent* event) {
  TimeStrip::mousePressEvent(event);
  if (area(0, height()).contains(event->position())) Q_EMIT stepPicked(sim_time(secondsAt(event->position().x())));
}

QString StepTracks::textAt(const QPointF& at) const {
  const double seconds = secondsAt(at.x());
  const auto bar = std::ranges::find_if(bars_, [&](const Bar& one) { return one.from_s <= seconds && seconds < one.to_s; });
  return bar == bars_.end() ? QString() : text(*bar);
}

QString StepTracks::text(const Bar& bar) const {
  if (bar.stretch) {
    const results::StepStretch& s = *bar.stretch;
    const double one_s = s.steps > 0 ? (s.boundary(1) - s.start).seconds() : bar.to_s - bar.from_s;
    return tr("%1: %n step(s) of %2, %3 sequences, %4 prompt tokens each", nullptr, static_cast<int>(s.steps))
        .arg(stepKindText(s.kind()), quantityText(one_s, "s"), countText(s.sequences()), countText(s.prefill_tokens));
  }
  double busy = 0;
  for (const double share : bar.busy) busy += share;
  if (busy <= 0) return tr("idle");
  return tr("busy %1, %2 sequences on average, %3 prompt and %4 decoded tokens per second")
      .arg(quantityText(busy, "fraction"), QString::number(bar.batch, 'f', 1), countText(std::llround(bar.prefillRate)), countText(std::llround(bar.decodeRate)));
}

}  // namespace rackwright::gui
