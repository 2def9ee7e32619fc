#include "gui/views/property_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include "gui/item_models/property_model.h"
#include "gui/views/severity_mark.h"
#include "gui/views/theme.h"
#include "gui/views/value_editor.h"
#include "scenarios/schema/options.h"

namespace rackwright::gui {
namespace {

/// Groups with something in them begin open, as long as they are few.
constexpr int mostOpen = 12;

class PropertyDelegate final : public QStyledItemDelegate {
 public:
  PropertyDelegate(PropertyModel& model, QObject* parent) : QStyledItemDelegate(parent), model_(model) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    const PropertyItem* item = model_.contentAt(index);
    const ThemeColors colors = themeColors(option.palette);
    const bool quiet = index.column() == PropertyModel::OriginColumn || !item->given || !item->noEffect.isEmpty();
    if (quiet && index.column() != PropertyModel::NameColumn) {
      cell.palette.setColor(QPalette::Text, colors.subtle);
      cell.palette.setColor(QPalette::HighlightedText, colors.subtle);
    }
    if (!item->noEffect.isEmpty() && index.column() == PropertyModel::NameColumn) cell.palette.setColor(QPalette::Text, colors.subtle);
    const QVariant severity = index.column() == PropertyModel::NameColumn ? index.data(PropertyModel::SeverityRole) : QVariant();
    if (severity.isValid()) {
      const QRect mark(cell.rect.right() - 17, cell.rect.center().y() - 7, 15, 15);
      QStyledItemDelegate::paint(painter, cell, index);
      severityIcon(static_cast<Severity>(severity.toInt()), option.palette).paint(painter, mark);
      return;
    }
    QStyledItemDelegate::paint(painter, cell, index);
  }

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override {
    return makeValueEditor(model_, index, parent);
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    const QString text = index.data(Qt::EditRole).toString();
    // A choice that is not given begins at what holds; only a change is written.
    setText(*editor, text.isEmpty() && editor->inherits("QComboBox") ? index.data(PropertyModel::FallbackRole).toString() : text);
  }
  void setModelData(QWidget* editor, QAbstractItemModel*, const QModelIndex& index) const override {
    const QString text = textOf(*editor);
    const bool untouched = !index.data(PropertyModel::GivenRole).toBool() && text == index.data(PropertyModel::FallbackRole).toString();
    if (!untouched) model_.setData(index, text);
  }

 private:
  PropertyModel& model_;
};

}  // namespace

PropertyView::PropertyView(PropertyModel& model, QWidget* parent)
    : QWidget(parent), model_(model), place_(new QLabel), tree_(new QTreeView), help_(new QLabel) {
  place_->setContentsMargins(10, 6, 10, 6);
  place_->setProperty("subtle", true);
  place_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  tree_->setObjectName(QStringLiteral("properties"));
  tree_->setAccessibleName(tr("Parameters"));
  tree_->setModel(&model_);
  tree_->setItemDelegate(new PropertyDelegate(model_, tree_));
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(14);
  tree_->setSelectionBehavior(QAbstractItemView::SelectRows);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
  tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
  tree_->setExpandsOnDoubleClick(true);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setMinimumSectionSize(60);
  tree_->header()->setSectionResizeMode(PropertyModel::NameColumn, QHeaderView::Interactive);
  tree_->header()->setSectionResizeMode(PropertyModel::ValueColumn, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(PropertyModel::OriginColumn, QHeaderView::Interactive);
  tree_->header()->resizeSection(PropertyModel::NameColumn, 190);
  tree_->header()->resizeSection(PropertyModel::OriginColumn, 96);
  help_->setObjectName(QStringLiteral("parameterHelp"));
  help_->setWordWrap(true);
  help_->setTextFormat(Qt::RichText);
  help_->setAlignment(Qt::AlignTop);
  help_->setContentsMargins(10, 8, 10, 8);
  help_->setMinimumHeight(112);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(place_);
  layout->addWidget(tree_, 1);
  layout->addWidget(help_);
  setFocusProxy(tree_);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
    describe();
    if (current.isValid()) Q_EMIT currentPathChanged(currentPath());
  });
  connect(tree_, &QTreeView::activated, this, &PropertyView::activate);
  connect(&model_, &QAbstractItemModel::modelReset, this, &PropertyView::unfold);
  connect(&model_, &QAbstractItemModel::dataChanged, this, &PropertyView::describe);
  unfold();
}

void PropertyView::show(const std::string& path, const std::string& focus) {
  model_.setPath(path);
  if (focus.empty()) return;
  const QModelIndex index = model_.indexOfPath(focus);
  if (!index.isValid()) return;
  tree_->setCurrentIndex(index.siblingAtColumn(PropertyModel::ValueColumn));
  tree_->scrollTo(index);
}

std::string PropertyView::currentPath() const {
  const PropertyItem* item = model_.contentAt(tree_->currentIndex());
  return item ? item->path : std::string();
}

void PropertyView::edit() {
  const QModelIndex value = tree_->currentIndex().siblingAtColumn(PropertyModel::ValueColumn);
  if (value.isValid() && model_.flags(value).testFlag(Qt::ItemIsEditable)) tree_->edit(value);
}

void PropertyView::activate(const QModelIndex& index) {
  const PropertyItem* item = model_.contentAt(index);
  if (!item) return;
  if (item->kind == PropertyKind::item) Q_EMIT placeActivated(item->path);
  else edit();
}

void PropertyView::unfold() {
  const QString path = model_.readablePlace();
  place_->setText(path.isEmpty() ? tr("The whole scenario") : path);
  int open = 0;
  for (int row = 0; row < model_.rowCount() && open < mostOpen; ++row) {
    const QModelIndex index = model_.index(row, 0);
    const PropertyItem& item = *model_.contentAt(index);
    const bool worth = item.given && model_.rowCount(index) > 0 && model_.rowCount(index) <= 40;
    if (worth && !model_.path().empty()) tree_->expand(index), ++open;
  }
  if (model_.rowCount() > 0) tree_->setCurrentIndex(model_.index(0, PropertyModel::ValueColumn));
  describe();
}

void PropertyView::describe() {
  const QModelIndex current = tree_->currentIndex();
  help_->setText(current.isValid() ? current.siblingAtColumn(PropertyModel::NameColumn).data(Qt::ToolTipRole).toString() : QString());
}

}  // namespace rackwright::gui
