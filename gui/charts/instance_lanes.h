#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "scenarios/results/request_outcome.h"

namespace rackwright::gui {

class TimeWindow;

/// The requests of one instance over time, each in the first lane that is free: waiting, prefill, decode. Where bars are
/// narrower than a pixel, lanes show as shaded bands.
class InstanceLanes final : public QWidget {
  Q_OBJECT

 public:
  using Rows = std::shared_ptr<const std::vector<results::RequestOutcome>>;

  /// Shows the part of time that `window` says; it must outlive this.
  explicit InstanceLanes(TimeWindow& window, QWidget* parent = nullptr);

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
    SimTime arrival;
    std::uint32_t row = 0;
    std::uint32_t lane = 0;
  };
  /// Where the requests of an instance lie; takes a while where they are many.
  struct Layout {
    std::vector<Bar> bars;  ///< By arrival.
    std::uint32_t lanes = 0;
    double longest_s = 0;
  };
  static Layout layoutOf(const std::vector<results::RequestOutcome>& rows, std::uint32_t instance);

  double x(double seconds) const;
  const results::RequestOutcome* requestAt(const QPointF& at) const;
  double laneHeight() const;

  TimeWindow& window_;
  Rows rows_;
  std::shared_ptr<const Layout> layout_;  ///< Null while it is made, in another thread.
  std::shared_ptr<int> generation_ = std::make_shared<int>(0);  ///< Outlived by jobs under way, which then do nothing.
};

}  // namespace rackwright::gui
