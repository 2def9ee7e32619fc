#include "gui/charts/step_tracks.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/charts/chart_axis.h"
#include "gui/charts/chart_palette.h"
#include "gui/charts/number_text.h"
#include "gui/charts/time_window.h"
#include "gui/run/step_columns.h"

namespace rackwright::gui {
namespace {

using results::StepKind;

constexpr double kindsHeight = 30;
constexpr double gapHeight = 8;
/// Steps narrower than this are not told apart.
constexpr double narrowestStep_px = 3;

}  // namespace

StepTracks::StepTracks(TimeWindow& window, QWidget* parent) : QWidget(parent), window_(window) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Steps of one instance over time"));
  setMinimumHeight(200);
  connect(&window_, &TimeWindow::changed, this, [this] {
    ask();
    update();
  });
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
  if (width() < 2) return;
  source_.ask(instance_, sim_time(window_.from_s()), sim_time(window_.to_s()), static_cast<std::size_t>(width()));
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
  highestBatch_ = highestPrefillRate_ = highestDecodeRate_ = 0;
  for (const Bar& bar : bars_) {
    highestBatch_ = std::max(highestBatch_, bar.batch);
    highestPrefillRate_ = std::max(highestPrefillRate_, bar.prefillRate);
    highestDecodeRate_ = std::max(highestDecodeRate_, bar.decodeRate);
  }
  update();
}

QRectF StepTracks::place(const Bar& bar, const QRectF& track) const {
  const double left = track.left() + std::max(0.0, window_.x(bar.from_s, track.width()));
  const double right = track.left() + std::min(track.width(), window_.x(bar.to_s, track.width()));
  return {left, track.top(), std::max(right - left, right > track.left() && left < track.right() ? 0.5 : 0.0), track.height()};
}

template <class Height>
void StepTracks::fill(QPainter& painter, const QRectF& track, double highest, const QColor& color, Height height) const {
  for (const Bar& bar : bars_) {
    const double tall = height(bar) / highest * track.height();
    QRectF column = place(bar, track);
    if (!(tall > 0) || column.width() <= 0) continue;
    column.setTop(track.bottom() - tall);
    painter.fillRect(column, color);
  }
}

void StepTracks::paintText(QPainter& painter, const QPointF& corner, Qt::Corner which, const QString& text, const QColor& color) const {
  QRectF ground = painter.fontMetrics().boundingRect(text);
  ground.adjust(-4, 0, 4, 0);
  if (which == Qt::TopLeftCorner) ground.moveTopLeft(corner);
  else ground.moveTopRight(corner);
  QColor faint = palette().color(QPalette::Base);
  faint.setAlpha(215);
  painter.fillRect(ground, faint);
  painter.setPen(color);
  painter.drawText(ground, Qt::AlignCenter, text);
}

template <class Height>
void StepTracks::paintTrack(QPainter& painter, const QRectF& track, const QString& name, double highest, const QColor& color, Height height) const {
  const double top = std::max(1.0, highest * 1.1);
  const plots::Axis axis{"", "", plots::Scale::linear, true, std::nullopt};
  const ChartAxis scale(axis, 0, top, ChartAxis::Ends::exact);
  const auto y = [&](const AxisTick& tick) { return track.bottom() - tick.at * track.height(); };
  painter.setPen(gridColor(palette()));
  for (const AxisTick& tick : scale.ticks()) painter.drawLine(QPointF(track.left(), y(tick)), QPointF(track.right(), y(tick)));
  fill(painter, track, top, color, height);
  const double lineHeight = painter.fontMetrics().height();
  double lowestText = track.bottom();
  for (const AxisTick& tick : scale.ticks()) {
    if (tick.at <= 0 || lowestText - y(tick) < lineHeight) continue;
    lowestText = y(tick);
    paintText(painter, QPointF(track.right() - 2, y(tick)), Qt::TopRightCorner, tick.label, subtleColor(palette()));
  }
  paintText(painter, track.topLeft() + QPointF(4, 0), Qt::TopLeftCorner, name, palette().color(QPalette::Text));
}

void StepTracks::paintKinds(QPainter& painter, const QRectF& track) const {
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
    const double step_px = bar.stretch && bar.stretch->steps > 0 ? window_.x(bar.to_s, track.width()) - window_.x(bar.from_s, track.width()) : 0;
    if (step_px < narrowestStep_px * static_cast<double>(bar.stretch ? bar.stretch->steps : 0) || step_px <= 0) continue;
    paintBoundaries(painter, track, *bar.stretch);
  }
}

void StepTracks::paintBoundaries(QPainter& painter, const QRectF& track, const results::StepStretch& stretch) const {
  painter.setPen(QPen(palette().color(QPalette::Base), 1));
  for (std::int64_t k = std::max<std::int64_t>(stretch.steps_ended(sim_time(window_.from_s())), 0); k <= stretch.steps; ++k) {
    const double x = track.left() + window_.x(stretch.boundary(k).seconds(), track.width());
    if (x > track.right()) return;
    if (x >= track.left()) painter.drawLine(QPointF(x, track.top()), QPointF(x, track.bottom()));
  }
}

void StepTracks::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (!shown_ || !shown_->problem.isEmpty()) {
    painter.setPen(subtleColor(palette()));
    painter.drawText(rect(), Qt::AlignCenter, shown_ ? shown_->problem : tr("Reading the steps…"));
    return;
  }
  const plots::Axis time{"", "s", plots::Scale::linear, false, std::nullopt};
  const ChartAxis axis(time, window_.from_s(), window_.to_s(), ChartAxis::Ends::exact);
  painter.setPen(gridColor(palette()));
  for (const AxisTick& tick : axis.ticks())
    painter.drawLine(QPointF(tick.at * width(), 0), QPointF(tick.at * width(), height()));
  const double tall = std::max(20.0, (height() - kindsHeight - 4 * gapHeight) / 3);
  const QRectF kinds(0, 2, width(), kindsHeight);
  const QRectF batch(0, kinds.bottom() + gapHeight, width(), tall);
  const QRectF decoded = batch.translated(0, tall + gapHeight);
  const QRectF prompts = decoded.translated(0, tall + gapHeight);
  paintKinds(painter, kinds);
  const QColor decode = stepColor(StepKind::decode, palette());
  paintTrack(painter, batch, tr("Sequences in a step"), highestBatch_, decode, [](const Bar& bar) { return bar.batch; });
  paintTrack(painter, decoded, tr("Tokens decoded per second"), highestDecodeRate_, decode, [](const Bar& bar) { return bar.decodeRate; });
  paintTrack(painter, prompts, tr("Prompt tokens per second"), highestPrefillRate_, stepColor(StepKind::prefill, palette()), [](const Bar& bar) { return bar.prefillRate; });
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Link), 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void StepTracks::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  ask();
}

void StepTracks::wheelEvent(QWheelEvent* event) { window_.take(*event, width()); }

void StepTracks::keyPressEvent(QKeyEvent* event) {
  if (window_.take(*event)) return;
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return QWidget::keyPressEvent(event);
  Q_EMIT stepPicked(sim_time((window_.from_s() + window_.to_s()) / 2));
}

void StepTracks::mousePressEvent(QMouseEvent* event) {
  QWidget::mousePressEvent(event);
  setFocus();
  Q_EMIT stepPicked(sim_time(window_.secondsAt(event->position().x(), width())));
}

const StepTracks::Bar* StepTracks::barAt(double x) const {
  const double seconds = window_.secondsAt(x, width());
  const auto bar = std::ranges::find_if(bars_, [&](const Bar& one) { return one.from_s <= seconds && seconds < one.to_s; });
  return bar == bars_.end() ? nullptr : &*bar;
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

bool StepTracks::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Bar* bar = barAt(help->pos().x());
  if (bar) QToolTip::showText(help->globalPos(), text(*bar), this);
  else QToolTip::hideText();
  return true;
}

}  // namespace rackwright::gui
