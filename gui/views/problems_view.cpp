#include "gui/views/problems_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include "gui/run/number_text.h"
#include "gui/document/check_service.h"
#include "gui/item_models/problems_model.h"
#include "gui/views/severity_mark.h"

namespace rackwright::gui {
namespace {

QString counted(std::int64_t n, const QString& one, const QString& many) { return n == 1 ? one : many.arg(countText(n)); }

class ProblemDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() != ProblemsModel::MessageColumn) return;
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->icon = severityIcon(static_cast<Severity>(index.data(ProblemsModel::SeverityRole).toInt()), option->palette);
    option->decorationSize = QSize(15, 15);
    const QString hint = index.data(ProblemsModel::HintRole).toString();
    if (!hint.isEmpty()) option->text += QStringLiteral("  —  ") + hint;
  }
};

}  // namespace

ProblemsView::ProblemsView(ProblemsModel& model, const CheckService& service, QWidget* parent)
    : QWidget(parent), model_(model), service_(service), summary_(new QLabel), tree_(new QTreeView) {
  summary_->setObjectName(QStringLiteral("problemsSummary"));
  summary_->setContentsMargins(10, 5, 10, 5);
  summary_->setProperty("subtle", true);
  summary_->setTextFormat(Qt::PlainText);
  tree_->setObjectName(QStringLiteral("problems"));
  tree_->setAccessibleName(tr("Problems"));
  tree_->setModel(&model_);
  tree_->setRootIsDecorated(false);
  tree_->setUniformRowHeights(true);
  tree_->setItemDelegate(new ProblemDelegate(tree_));
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(ProblemsModel::MessageColumn, QHeaderView::Stretch);
  tree_->header()->resizeSection(ProblemsModel::PathColumn, 190);
  tree_->header()->resizeSection(ProblemsModel::LineColumn, 56);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(summary_);
  layout->addWidget(tree_, 1);
  setFocusProxy(tree_);
  connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT placeActivated(index.data(ProblemsModel::PathRole).toString().toStdString(), index.data(ProblemsModel::LineRole).toInt());
  });
  refresh();
}

QString ProblemsView::summary() const { return summary_->text(); }

void ProblemsView::refresh() {
  const SharedCheckResult& result = service_.result();
  if (!result) {
    summary_->setText(service_.isPending() ? tr("Checking…") : tr("Nothing to check"));
    return;
  }
  QStringList parts;
  if (result->errors() > 0) parts.push_back(counted(result->errors(), tr("1 error"), tr("%1 errors")));
  if (result->warnings() > 0) parts.push_back(counted(result->warnings(), tr("1 warning"), tr("%1 warnings")));
  if (result->errors() == 0) {
    for (const PoolFacts& pool : result->pools) {
      parts.push_back(QStringLiteral("%1: %2 × %3, %4")
                          .arg(QString::fromStdString(pool.name), counted(pool.instances, tr("1 instance"), tr("%1 instances")),
                               counted(pool.devicesPerInstance, tr("1 device"), tr("%1 devices")), tr("%1 KV blocks each").arg(countText(pool.kvBlocks))));
      if (parts.size() > 4) break;
    }
    parts.push_front(tr("Feasible"));
  }
  summary_->setText(parts.join(QStringLiteral("  ·  ")));
}

}  // namespace rackwright::gui
