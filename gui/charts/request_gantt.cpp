#include "gui/charts/request_gantt.h"

#include <QPainter>

#include "gui/charts/chart_palette.h"
#include "gui/run/number_text.h"

namespace rackwright::gui {
namespace {

constexpr int margin = 18;
constexpr int laneHeight = 26;

QString noRequest() { return RequestGantt::tr("Choose a request to see its life"); }

QString headingOf(const results::RequestOutcome& r) {
  QStringList parts{RequestGantt::tr("Request %1").arg(countText(static_cast<std::int64_t>(r.id))), QString::fromStdString(std::string(to_string(r.outcome))),
                    RequestGantt::tr("%1 input (%2 cached), %3 output tokens").arg(countText(r.input_tokens), countText(r.cached_input_tokens), countText(r.output_tokens))};
  if (r.preemptions > 0) parts.push_back(r.preemptions == 1 ? RequestGantt::tr("1 preemption") : RequestGantt::tr("%1 preemptions").arg(countText(r.preemptions)));
  return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

void RequestGantt::setRequest(std::optional<results::RequestOutcome> request) {
  request_ = std::move(request);
  setAccessibleName(request_ ? headingOf(*request_) : noRequest());
  setMinimumHeight(sizeHint().height());
  update();
}

void RequestGantt::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  painter.setPen(subtleColor(palette()));
  if (!request_) {
    painter.drawText(rect(), Qt::AlignCenter, noRequest());
    return;
  }
  const results::RequestOutcome& r = *request_;
  const bool started = r.scheduled > r.arrival || r.first_token > r.arrival;
  const bool answered = r.output_tokens > 0;
  const SimTime end = std::max({r.arrival, r.scheduled, r.first_token, r.last_token, r.logged.completion.value_or(SimTime{}), r.logged.first_token.value_or(SimTime{})});
  const double length = std::max((end - r.arrival).seconds(), 1e-9);
  const double room = width() - 2.0 * margin;
  const auto x = [&](SimTime at) { return margin + (at - r.arrival).seconds() / length * room; };

  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(QRectF(margin, 6, room, 18), Qt::AlignLeft | Qt::AlignVCenter, headingOf(r));

  const double top = 32;
  const auto bar = [&](Phase phase, SimTime from, SimTime to, const QString& text) {
    const QRectF box(x(from), top, std::max(1.5, x(to) - x(from)), laneHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(phaseColor(phase, palette()));
    painter.drawRoundedRect(box, 3, 3);
    const double needed = painter.fontMetrics().horizontalAdvance(text) + 10;
    if (box.width() < needed) return;
    painter.setPen(palette().color(QPalette::Base));
    painter.drawText(box, Qt::AlignCenter, text);
  };
  if (started || answered) {
    if (r.scheduled > r.arrival) bar(Phase::waiting, r.arrival, r.scheduled, tr("queue %1").arg(quantityText(r.queue().seconds(), "s")));
    if (answered) {
      bar(Phase::prefill, r.scheduled, r.first_token, tr("prefill %1").arg(quantityText((r.first_token - r.scheduled).seconds(), "s")));
      bar(Phase::decode, r.first_token, r.last_token, tr("decode %1").arg(quantityText((r.last_token - r.first_token).seconds(), "s")));
    }
  } else {
    painter.setPen(subtleColor(palette()));
    painter.drawText(QRectF(margin, top, room, laneHeight), Qt::AlignLeft | Qt::AlignVCenter, tr("It was never scheduled"));
  }

  QStringList facts{tr("arrived at %1").arg(durationText(r.arrival.seconds()))};
  if (answered) {
    facts.push_back(tr("TTFT %1").arg(quantityText(r.ttft().seconds(), "s")));
    if (r.output_tokens >= 2) facts.push_back(tr("TPOT %1").arg(quantityText(r.tpot().seconds(), "s")));
    facts.push_back(tr("longest gap %1").arg(quantityText(r.longest_gap.seconds(), "s")));
    facts.push_back(tr("end to end %1").arg(quantityText(r.e2e().seconds(), "s")));
  }
  painter.setPen(subtleColor(palette()));
  painter.drawText(QRectF(margin, top + laneHeight + 6, room, 18), Qt::AlignLeft | Qt::AlignVCenter, facts.join(QStringLiteral("  ·  ")));

  const double below = top + laneHeight + 27;
  const auto observed = [&](const std::optional<SimTime>& at, const QString& name) {
    if (!at) return;
    painter.setPen(QPen(limitColor(palette()), 1.5, Qt::DashLine));
    painter.drawLine(QPointF(x(*at), top - 3), QPointF(x(*at), below));
    const QString text = tr("logged %1 %2").arg(name, quantityText((*at - r.arrival).seconds(), "s"));
    const double wide = painter.fontMetrics().horizontalAdvance(text);
    painter.drawText(QPointF(std::clamp(x(*at) - wide / 2, double(margin), margin + room - wide), below + 12), text);
  };
  observed(r.logged.first_token, tr("first token"));
  observed(r.logged.completion, tr("completion"));
}

}  // namespace rackwright::gui
