#include "gui/views/charts_page.h"

#include <QFrame>
#include <QGridLayout>
#include <algorithm>

#include "gui/charts/plot_view.h"
#include "gui/views/theme.h"

namespace rackwright::gui {
namespace {

/// A chart that is narrower hides more than it shows.
constexpr int narrowest_px = 430;
constexpr int height_px = 290;

}  // namespace

ChartsPage::ChartsPage(QWidget* parent) : QScrollArea(parent), page_(new QWidget), grid_(new QGridLayout(page_)) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  grid_->setContentsMargins(pageMargin, 14, pageMargin, pageMargin);
  grid_->setSpacing(12);
  setWidget(page_);
  connect(&turn_, &QTimer::timeout, this, &ChartsPage::showNext);
}

void ChartsPage::show(std::vector<plots::Plot> plots) {
  std::vector<std::string> order;
  for (const plots::Plot& plot : plots) order.push_back(plot.id);
  if (order != order_) {
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
    next_ = 0;
    arrange();
  }
  // Goes on where it is, so that plots that come faster than they can be drawn leave none out.
  waiting_ = std::move(plots);
  left_ = waiting_.size();
  turn_.start();
}

void ChartsPage::showNext() {
  if (left_ == 0) return turn_.stop();
  plots::Plot& plot = waiting_[next_];
  PlotView*& view = views_[plot.id];
  if (!view) {
    view = new PlotView(page_);
    view->setFixedHeight(height_px);
    view->setObjectName(QStringLiteral("plot:") + QString::fromStdString(plot.id));
    place(view, static_cast<int>(next_));
  }
  view->setPlot(std::move(plot));
  next_ = (next_ + 1) % waiting_.size();
  --left_;
}

void ChartsPage::place(PlotView* view, int at) {
  grid_->addWidget(view, at / columns_, at % columns_);
  view->show();
}

void ChartsPage::arrange() {
  const int columns = std::clamp(viewport()->width() / narrowest_px, 1, 4);
  if (columns == columns_) return;
  columns_ = columns;
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  int at = 0;
  for (const std::string& id : order_) {
    if (const auto view = views_.find(id); view != views_.end()) place(view->second, at);
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
