#pragma once

#include <QWidget>

namespace rackwright::gui {

class TimeWindow;

/// A picture of the part of a run's time that a window says. The wheel and the keys of the window change that part, the
/// pointer tells what lies under it. Strips of one width have their time at the same places, so that they line up.
class TimeStrip : public QWidget {
  Q_OBJECT

 public:
  /// `time` must outlive this.
  TimeStrip(TimeWindow& time, const QString& name, QWidget* parent);

 protected:
  virtual void paintContent(QPainter& painter) = 0;
  /// What lies at a place; empty where nothing does.
  virtual QString textAt(const QPointF& at) const = 0;

  const TimeWindow& time() const { return time_; }
  /// Where time runs, from `top` to `bottom`; beside it there is room for the labels of other axes.
  QRectF area(double top, double bottom) const;
  double x(double seconds) const;
  double secondsAt(double x) const;
  double lineHeight() const;

  /// A line at each round moment.
  void paintGrid(QPainter& painter, double top, double bottom) const;
  /// What the moments are, below the lines.
  void paintMoments(QPainter& painter, double top) const;
  /// In the middle, in place of everything else.
  void paintNote(QPainter& painter, const QString& text) const;

  void paintEvent(QPaintEvent* event) final;
  void wheelEvent(QWheelEvent* event) final;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) final;

 private:
  TimeWindow& time_;
};

}  // namespace rackwright::gui
