#pragma once

#include <QWidget>
#include <vector>

namespace rackwright::gui {

/// Parts of a whole as one bar with a legend under it.
class SharesBar final : public QWidget {
  Q_OBJECT

 public:
  struct Share {
    QString name;
    double share = 0;
    QString meaning;  ///< For the tooltip.
  };

  using QWidget::QWidget;

  void setShares(std::vector<Share> shares);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::vector<Share> shares_;
};

}  // namespace rackwright::gui
