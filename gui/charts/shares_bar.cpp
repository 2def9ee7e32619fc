#include "gui/charts/shares_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "gui/charts/chart_palette.h"

namespace rackwright::gui {
namespace {

constexpr int barHeight = 16;

/// "< 0.1 %" where something is there but rounds to nothing.
QString percent(double share) {
  if (share > 0 && share < 0.001) return QStringLiteral("< 0.1 %");
  if (share < 1 && share > 0.999) return QStringLiteral("> 99.9 %");
  return QString::number(share * 100, 'f', share == 1 || share == 0 ? 0 : 1) + QStringLiteral(" %");
}

}  // namespace

void SharesBar::setShares(std::vector<Share> shares) {
  shares_ = std::move(shares);
  QStringList words;
  for (const Share& share : shares_) words.push_back(share.name + QLatin1Char(' ') + percent(share.share));
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  setFixedHeight(barHeight + 10 + fontMetrics().height());
  update();
}

void SharesBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath outline;
  outline.addRoundedRect(QRectF(0, 0, width(), barHeight), 4, 4);
  painter.save();
  painter.setClipPath(outline);
  double from = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const double length = shares_[i].share * width();
    painter.fillRect(QRectF(from, 0, length, barHeight), seriesColor(i, palette()));
    if (i % 2 == 1) painter.fillRect(QRectF(from, 0, length, barHeight), QBrush(QColor(255, 255, 255, 70), Qt::BDiagPattern));
    from += length;
  }
  painter.restore();
  double x = 0;
  const int line = barHeight + 8;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    if (shares_[i].share <= 0) continue;
    const QString text = shares_[i].name + QLatin1Char(' ') + percent(shares_[i].share);
    painter.setPen(Qt::NoPen);
    painter.setBrush(seriesColor(i, palette()));
    painter.drawRoundedRect(QRectF(x, line + fontMetrics().height() / 2.0 - 5, 10, 10), 2, 2);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QPointF(x + 15, line + fontMetrics().ascent()), text);
    x += 15 + fontMetrics().horizontalAdvance(text) + 18;
  }
}

bool SharesBar::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    QStringList lines;
    for (const Share& share : shares_) lines.push_back(QStringLiteral("%1 %2: %3").arg(share.name, percent(share.share), share.meaning));
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), lines.join(QLatin1Char('\n')), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace rackwright::gui
