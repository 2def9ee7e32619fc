#pragma once

#include <QWidget>
#include <optional>

#include "scenarios/results/request_outcome.h"

namespace rackwright::gui {

/// The life of one request: waiting, prefill, decode, with the instants and lengths written on it; what a log observed
/// stands below where there is a log.
class RequestGantt final : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  void setRequest(std::optional<results::RequestOutcome> request);
  QSize sizeHint() const override { return {480, 118}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::optional<results::RequestOutcome> request_;
};

}  // namespace rackwright::gui
