#include "gui/views/search_popup.h"

#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "gui/views/icons.h"
#include "gui/views/theme.h"

namespace rackwright::gui {
namespace {

class EntryDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override { return {200, option.fontMetrics.height() + 14}; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) painter->fillRect(option.rect, option.palette.color(QPalette::Highlight));
    const QColor subtle = themeColors(option.palette).subtle;
    QRect rest = option.rect.adjusted(14, 0, -14, 0);
    const QString kind = index.data(SearchModel::KindRole).toString();
    painter->setPen(subtle);
    painter->drawText(rest, Qt::AlignVCenter | Qt::AlignRight, kind);
    rest.setRight(rest.right() - option.fontMetrics.horizontalAdvance(kind) - 16);
    const QString title = option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, rest.width());
    painter->setPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, title);
    rest.setLeft(rest.left() + option.fontMetrics.horizontalAdvance(title) + 14);
    painter->setPen(subtle);
    if (rest.width() > 20) {
      painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, option.fontMetrics.elidedText(index.data(SearchModel::DetailRole).toString(), Qt::ElideRight, rest.width()));
    }
    painter->restore();
  }
};

}  // namespace

SearchPopup::SearchPopup(QWidget* window) : QFrame(window), query_(new QLineEdit), list_(new QListView) {
  setObjectName(QStringLiteral("search"));
  setProperty("card", true);
  setAutoFillBackground(true);
  query_->setObjectName(QStringLiteral("searchQuery"));
  query_->setPlaceholderText(tr("Search parameters, values, the catalog, templates and actions"));
  query_->setAccessibleName(tr("Search"));
  query_->addAction(icon(Icon::search), QLineEdit::LeadingPosition);
  query_->setClearButtonEnabled(true);
  query_->installEventFilter(this);
  list_->setObjectName(QStringLiteral("searchResults"));
  list_->setAccessibleName(tr("Results"));
  list_->setModel(&model_);
  list_->setItemDelegate(new EntryDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 10, 10, 10);
  layout->addWidget(query_);
  layout->addWidget(list_, 1);
  auto* shadow = new QGraphicsDropShadowEffect(this);
  shadow->setBlurRadius(36);
  shadow->setOffset(0, 8);
  shadow->setColor(QColor(0, 0, 0, 90));
  setGraphicsEffect(shadow);
  connect(query_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_.setQuery(text);
    list_->setCurrentIndex(model_.index(0, 0));
  });
  connect(list_, &QListView::clicked, this, &SearchPopup::choose);
  hide();
}

void SearchPopup::open(std::vector<SearchEntry> entries) {
  query_->clear();
  model_.setEntries(std::move(entries));
  list_->setCurrentIndex(model_.index(0, 0));
  const QSize room = parentWidget()->size();
  const int width = std::min(760, room.width() - 80);
  setGeometry((room.width() - width) / 2, 72, width, std::min(460, room.height() - 140));
  show();
  raise();
  query_->setFocus();
}

void SearchPopup::choose(const QModelIndex& index) {
  const SearchEntry* entry = model_.entryAt(index);
  if (!entry) return;
  const SearchEntry picked = *entry;
  hide();
  Q_EMIT chosen(picked);
}

void SearchPopup::step(int rows) {
  const int row = std::clamp(list_->currentIndex().row() + rows, 0, std::max(0, model_.rowCount() - 1));
  list_->setCurrentIndex(model_.index(row, 0));
}

bool SearchPopup::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && isVisible()) hide();
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down: step(1); return true;
    case Qt::Key_Up: step(-1); return true;
    case Qt::Key_PageDown: step(10); return true;
    case Qt::Key_PageUp: step(-10); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(list_->currentIndex()); return true;
    case Qt::Key_Escape: hide(); return true;
    default: return QFrame::eventFilter(watched, event);
  }
}

}  // namespace rackwright::gui
