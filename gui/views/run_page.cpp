#include "gui/views/run_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <utility>

#include "gui/run/run_loader.h"
#include "gui/views/instance_box.h"
#include "gui/views/theme.h"

namespace rackwright::gui {

RunPage::RunPage(QWidget* parent) : QWidget(parent), bar_(new QHBoxLayout), body_(new QVBoxLayout(this)) {
  bar_->setContentsMargins(pageMargin, 10, pageMargin, 8);
  bar_->setSpacing(14);
  body_->setContentsMargins(0, 0, 0, 0);
  body_->setSpacing(0);
  body_->addLayout(bar_);
}

InstanceBox* RunPage::addInstanceBox() {
  auto* box = new InstanceBox;
  auto* label = new QLabel(tr("&Instance"));
  label->setBuddy(box);
  bar_->addWidget(label);
  bar_->addWidget(box);
  return box;
}

void RunPage::setRun(std::shared_ptr<const LoadedRun> run) {
  run_ = std::move(run);
  isNew_ = true;
  if (isVisible()) fillIfNew();
}

void RunPage::fillIfNew() {
  if (run_ && std::exchange(isNew_, false)) fill();
}

void RunPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fillIfNew();
}

}  // namespace rackwright::gui
