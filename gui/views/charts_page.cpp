#include "gui/views/charts_page.h"

#include <QFrame>
#include <QGridLayout>
#include <QScrollBar>
#include <algorithm>

#include "gui/charts/plot_view.h"

namespace rackwright::gui {
namespace {

/// A chart that is narrower hides more than it shows.
constexpr int narrowest_px = 430;
constexpr int height_px = 290;

}  // namespace

ChartsPage::ChartsPage(QWidget* parent) : QScrollArea(parent), page_(new QWidget), grid_(new QGridLayout(page_)) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  grid_->setContentsMargins(12, 12, 12, 12);
  grid_->setSpacing(12);
  setWidget(page_);
}

void ChartsPage::show(const std::vector<plots::Plot>& plots) {
  std::vector<std::string> order;
  for (const plots::Plot& plot : plots) {
    order.push_back(plot.id);
    PlotView*& view = views_[plot.id];
    if (!view) {
      view = new PlotView(page_);
      view->setFixedHeight(height_px);
      view->setObjectName(QStringLiteral("plot:") + QString::fromStdString(plot.id));
    }
    view->setPlot(plot);
  }
  if (order == order_) return;
  for (auto view = views_.begin(); view != views_.end();) {
    if (std::ranges::find(order, view->first) != order.end()) {
      ++view;
      continue;
    }
    delete view->second;
    view = views_.erase(view);
  }
  order_ = std::move(order);
  columns_ = 0;
  arrange();
}

void ChartsPage::arrange() {
  const int columns = std::clamp(viewport()->width() / narrowest_px, 1, 4);
  if (columns == columns_) return;
  columns_ = columns;
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  int at = 0;
  for (const std::string& id : order_) {
    grid_->addWidget(views_[id], at / columns, at % columns);
    views_[id]->show();
    ++at;
  }
  for (int column = 0; column < 4; ++column) grid_->setColumnStretch(column, column < columns ? 1 : 0);
  grid_->setRowStretch(at / columns + 1, 1);
}

void ChartsPage::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

}  // namespace rackwright::gui
