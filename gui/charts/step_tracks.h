#pragma once

#include <array>
#include <memory>
#include <vector>

#include "gui/charts/time_strip.h"
#include "gui/run/step_source.h"

namespace rackwright::gui {

/// What the steps of one instance computed over time: prompts, decoding or both; how many sequences; how many tokens a
/// second. Where steps are wide enough, each is seen by itself.
class StepTracks final : public TimeStrip {
  Q_OBJECT

 public:
  explicit StepTracks(TimeWindow& time, QWidget* parent = nullptr);

  void setSteps(SharedSteps steps, std::uint32_t instance);
  QSize sizeHint() const override { return {480, 330}; }

 Q_SIGNALS:
  void stepPicked(SimTime when);

 protected:
  void paintContent(QPainter& painter) override;
  QString textAt(const QPointF& at) const override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  /// A stretch, or a part of the window when there are too many of them.
  struct Bar {
    double from_s = 0;
    double to_s = 0;
    std::array<double, results::step_kind_count> busy{};  ///< Shares of the time, by kind.
    double batch = 0;
    double prefillRate = 0;  ///< Tokens a second.
    double decodeRate = 0;
    const results::StepStretch* stretch = nullptr;
  };

  void ask();
  void take(std::shared_ptr<const StepWindow> answer);
  /// Where a bar lies in a track; without width when it is not in the window.
  QRectF place(const Bar& bar, const QRectF& track) const;
  /// A name above, round values on the left, and a column for each bar.
  template <class Height>
  void paintTrack(QPainter& painter, const QRectF& track, const QString& name, const QColor& color, Height height) const;
  void paintKinds(QPainter& painter, const QRectF& track) const;
  void paintBoundaries(QPainter& painter, const QRectF& track, const results::StepStretch& stretch) const;
  void paintName(QPainter& painter, const QRectF& track, const QString& name) const;
  QString text(const Bar& bar) const;

  StepSource source_;
  std::uint32_t instance_ = 0;
  std::shared_ptr<const StepWindow> shown_;
  std::vector<Bar> bars_;
};

}  // namespace rackwright::gui
