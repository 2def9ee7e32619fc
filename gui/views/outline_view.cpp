#include "gui/views/outline_view.h"

#include <QPainter>
#include <QStyledItemDelegate>

#include "gui/item_models/outline_model.h"
#include "gui/views/severity_mark.h"
#include "gui/views/theme.h"

namespace rackwright::gui {
namespace {

/// More items than this begin folded: nobody reads them one by one.
constexpr int longList = 40;

/// The title, and behind it in a subtle colour what it is about; a mark at the right edge where something is wrong.
class OutlineDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString title = cell.text;
    cell.text.clear();
    const QStyle* style = option.widget->style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, option.widget);

    painter->save();
    const ThemeColors colors = themeColors(option.palette);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    QRect rest = option.rect.adjusted(4, 0, -6, 0);
    if (const QVariant severity = index.data(OutlineModel::SeverityRole); severity.isValid()) {
      const QRect mark(rest.right() - 15, rest.center().y() - 7, 15, 15);
      severityIcon(static_cast<Severity>(severity.toInt()), option.palette).paint(painter, mark);
      rest.setRight(mark.left() - 6);
    }
    QFont font = option.font;
    const bool given = index.data(OutlineModel::GivenRole).toBool();
    if (!index.parent().isValid()) font.setBold(true);
    painter->setFont(font);
    painter->setPen(!given ? colors.subtle : option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    const QFontMetrics metrics(font);
    const QString shown = metrics.elidedText(title, Qt::ElideRight, rest.width());
    painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, shown);
    rest.setLeft(rest.left() + metrics.horizontalAdvance(shown) + 8);
    const QString summary = index.data(OutlineModel::SummaryRole).toString();
    if (!summary.isEmpty() && rest.width() > 24) {
      painter->setPen(colors.subtle);
      painter->setFont(option.font);
      painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft, QFontMetrics(option.font).elidedText(summary, Qt::ElideRight, rest.width()));
    }
    painter->restore();
  }
};

}  // namespace

OutlineView::OutlineView(OutlineModel& model, QWidget* parent) : QTreeView(parent), model_(model) {
  setObjectName(QStringLiteral("outline"));
  setAccessibleName(tr("Outline of the scenario"));
  setModel(&model_);
  setHeaderHidden(true);
  setUniformRowHeights(true);
  setIndentation(14);
  setItemDelegate(new OutlineDelegate(this));
  setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(&model_, &QAbstractItemModel::modelReset, this, &OutlineView::unfold);
  // A change that names the one root is of marks below it as well.
  connect(&model_, &QAbstractItemModel::dataChanged, viewport(), qOverload<>(&QWidget::update));
  unfold();
}

void OutlineView::unfold() {
  const auto open = [this](auto& self, const QModelIndex& at, int depth) -> void {
    if (depth > 3 || model_.rowCount(at) > longList) return;
    expand(at);
    for (int row = 0; row < model_.rowCount(at); ++row) self(self, model_.index(row, 0, at), depth + 1);
  };
  if (model_.rowCount() == 0) return;
  open(open, model_.index(0, 0), 0);
  setCurrentIndex(model_.index(0, 0));
}

void OutlineView::select(const std::string& path) {
  const QModelIndex index = model_.indexOfPath(path);
  if (!index.isValid() || index == currentIndex()) return;
  setCurrentIndex(index);
  scrollTo(index);
}

std::string OutlineView::currentPath() const { return currentIndex().data(OutlineModel::PathRole).toString().toStdString(); }

void OutlineView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  if (current.isValid()) Q_EMIT pathSelected(current.data(OutlineModel::PathRole).toString().toStdString());
}

}  // namespace rackwright::gui
