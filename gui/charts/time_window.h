#pragma once

#include <QObject>

class QKeyEvent;
class QWheelEvent;

namespace rackwright::gui {

/// The part of a run's time that views side by side show. Wheel and the keys + − ← → Home End change it for all of them.
class TimeWindow final : public QObject {
  Q_OBJECT

 public:
  explicit TimeWindow(QObject* parent = nullptr) : QObject(parent) {}

  double from_s() const { return from_s_; }
  double to_s() const { return to_s_; }
  double length_s() const { return to_s_ - from_s_; }
  double end_s() const { return end_s_; }

  /// A run of this length, from its beginning: a minute, or all of a shorter one, so that single requests are seen.
  void reset(double end_s);
  void show(double from_s, double to_s);
  /// `around` is a place in the window, from 0 to 1, that stays where it is.
  void zoom(double factor, double around);
  /// By a share of what is shown.
  void shift(double share);

  /// Place of a moment in a view of this width.
  double x(double seconds, double width) const { return (seconds - from_s_) / length_s() * width; }
  double secondsAt(double x, double width) const { return from_s_ + x / width * length_s(); }

  /// `around` is where the pointer is, from 0 to 1.
  void take(QWheelEvent& event, double around);
  /// Whether the key was one of these.
  bool take(const QKeyEvent& event);

 Q_SIGNALS:
  void changed();

 private:
  double end_s_ = 1;
  double from_s_ = 0;
  double to_s_ = 1;
};

}  // namespace rackwright::gui
