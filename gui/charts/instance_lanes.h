#pragma once

#include <memory>
#include <vector>

#include "gui/charts/time_strip.h"
#include "scenarios/results/request_outcome.h"

namespace rackwright::gui {

/// The requests of one instance over time, each in the first lane that is free: waiting, prefill, decode. Where bars are
/// narrower than a pixel, lanes show as shaded bands.
class InstanceLanes final : public TimeStrip {
  Q_OBJECT

 public:
  using Rows = std::shared_ptr<const std::vector<results::RequestOutcome>>;

  explicit InstanceLanes(TimeWindow& time, QWidget* parent = nullptr);

  void show(Rows rows, std::uint32_t instance);
  QSize sizeHint() const override { return {480, 300}; }

 Q_SIGNALS:
  void requestPicked(std::uint64_t id);

 protected:
  void paintContent(QPainter& painter) override;
  QString textAt(const QPointF& at) const override;
  void mousePressEvent(QMouseEvent* event) override;

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

  QRectF room() const;
  double laneHeight() const;
  void paintBar(QPainter& painter, const results::RequestOutcome& request, double top) const;
  const results::RequestOutcome* requestAt(const QPointF& at) const;

  Rows rows_;
  std::shared_ptr<const Layout> layout_;  ///< Null while it is made, in another thread.
  std::shared_ptr<int> generation_ = std::make_shared<int>(0);  ///< Outlived by jobs under way, which then do nothing.
};

}  // namespace rackwright::gui
