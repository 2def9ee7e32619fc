#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "scenarios/results/request_outcome.h"

namespace rackwright::gui {

/// The requests of one instance over time, each in the first lane that is free: waiting, prefill, decode. Wheel and
/// the keys + − ← → change the part that is shown. Where bars are narrower than a pixel, lanes show as shaded bands.
class InstanceLanes final : public QWidget {
  Q_OBJECT

 public:
  using Rows = std::shared_ptr<const std::vector<results::RequestOutcome>>;

  explicit InstanceLanes(QWidget* parent = nullptr);

  void show(Rows rows, std::uint32_t instance);
  QSize sizeHint() const override { return {480, 300}; }

 Q_SIGNALS:
  void requestPicked(std::uint64_t id);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Bar {
    std::uint32_t row = 0;
    std::uint32_t lane = 0;
  };

  void zoom(double factor, double around);
  void shift(double share);
  double x(double seconds) const;
  const results::RequestOutcome* requestAt(const QPointF& at) const;
  double laneHeight() const;

  Rows rows_;
  std::vector<Bar> bars_;  ///< By arrival.
  std::uint32_t lanes_ = 0;
  double end_s_ = 1;
  double longest_s_ = 0;
  double from_s_ = 0;
  double to_s_ = 1;
};

}  // namespace rackwright::gui
