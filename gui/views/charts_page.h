#pragma once

#include <QScrollArea>
#include <QTimer>
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

  /// One plot each turn of the event loop: a chart takes a while to make.
  void show(std::vector<plots::Plot> plots);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showNext();
  void place(PlotView* view, int at);
  void arrange();

  QWidget* page_;
  QGridLayout* grid_;
  std::vector<std::string> order_;
  std::map<std::string, PlotView*> views_;
  int columns_ = 0;
  std::vector<plots::Plot> waiting_;
  std::size_t next_ = 0;  ///< Of those that wait,
  std::size_t left_ = 0;  ///< and how many are still to be shown.
  QTimer turn_;
};

}  // namespace rackwright::gui
