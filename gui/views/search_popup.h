#pragma once

#include <QFrame>

#include "gui/item_models/search_model.h"

class QLineEdit;
class QListView;

namespace rackwright::gui {

/// Search over everything, in front of the window until something is chosen or Escape is pressed.
class SearchPopup final : public QFrame {
  Q_OBJECT

 public:
  explicit SearchPopup(QWidget* window);

  void open(std::vector<SearchEntry> entries);

 Q_SIGNALS:
  void chosen(const rackwright::gui::SearchEntry& entry);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void choose(const QModelIndex& index);
  void step(int rows);

  SearchModel model_;
  QLineEdit* query_;
  QListView* list_;
};

}  // namespace rackwright::gui
