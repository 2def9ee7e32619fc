#pragma once

#include <QWidget>
#include <array>
#include <memory>
#include <vector>

#include "gui/run/step_source.h"

namespace rackwright::gui {

class TimeWindow;

/// What the steps of one instance computed over time: prompts, decoding or both; how many sequences; how many tokens a
/// second. Where steps are wide enough, each is seen by itself.
class StepTracks final : public QWidget {
  Q_OBJECT

 public:
  /// Shows the part of time that `window` says; it must outlive this.
  explicit StepTracks(TimeWindow& window, QWidget* parent = nullptr);

  void setSteps(SharedSteps steps, std::uint32_t instance);
  QSize sizeHint() const override { return {480, 330}; }

 Q_SIGNALS:
  void stepPicked(SimTime when);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

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
  const Bar* barAt(double x) const;
  /// Where a bar lies in a track; without width when it is not in the window.
  QRectF place(const Bar& bar, const QRectF& track) const;
  template <class Height>
  void fill(QPainter& painter, const QRectF& track, double highest, const QColor& color, Height height) const;
  void paintBoundaries(QPainter& painter, const QRectF& track, const results::StepStretch& stretch) const;
  template <class Height>
  void paintTrack(QPainter& painter, const QRectF& track, const QString& name, double highest, const QColor& color, Height height) const;
  /// A text on a ground of its own, so that it reads on bars, too.
  void paintText(QPainter& painter, const QPointF& corner, Qt::Corner which, const QString& text, const QColor& color) const;
  void paintKinds(QPainter& painter, const QRectF& track) const;
  QString text(const Bar& bar) const;

  TimeWindow& window_;
  StepSource source_;
  std::uint32_t instance_ = 0;
  std::shared_ptr<const StepWindow> shown_;
  std::vector<Bar> bars_;
  double highestBatch_ = 0;
  double highestPrefillRate_ = 0;
  double highestDecodeRate_ = 0;
};

}  // namespace rackwright::gui
