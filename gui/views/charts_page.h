#pragma once

#include <QScrollArea>
#include <map>
#include <string>
#include <vector>

#include "scenarios/plots/plot.h"

class QGridLayout;

namespace rackwright::gui {

class PlotView;

/// Plots side by side, as many as the width holds. Plots that come again with the same id keep their place and view.
class ChartsPage final : public QScrollArea {
  Q_OBJECT

 public:
  explicit ChartsPage(QWidget* parent = nullptr);

  void show(const std::vector<plots::Plot>& plots);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();

  QWidget* page_;
  QGridLayout* grid_;
  std::vector<std::string> order_;
  std::map<std::string, PlotView*> views_;
  int columns_ = 0;
};

}  // namespace rackwright::gui
