#pragma once

#include <QScrollArea>
#include <memory>

class QVBoxLayout;

namespace rackwright::gui {

struct LoadedRun;

/// What a run came to, on one page: figures, objectives, pools, how well founded the costs are, warnings, inputs.
class OverviewPage final : public QScrollArea {
  Q_OBJECT

 public:
  explicit OverviewPage(QWidget* parent = nullptr);

  void show(const LoadedRun& run);

 private:
  QVBoxLayout* body_;
};

}  // namespace rackwright::gui
