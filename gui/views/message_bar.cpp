#include "gui/views/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "gui/views/icons.h"
#include "gui/views/theme.h"

namespace rackwright::gui {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), icon_(new QLabel), label_(new QLabel), answers_(new QHBoxLayout) {
  setObjectName(QStringLiteral("messageBar"));
  setAttribute(Qt::WA_StyledBackground);
  label_->setObjectName(QStringLiteral("message"));
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* dismissButton = new QToolButton;
  dismissButton->setIcon(icon(Icon::close));
  dismissButton->setAutoRaise(true);
  dismissButton->setFocusPolicy(Qt::TabFocus);
  dismissButton->setToolTip(tr("Dismiss"));
  dismissButton->setAccessibleName(tr("Dismiss the message"));
  connect(dismissButton, &QToolButton::clicked, this, &MessageBar::dismiss);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(pageMargin - 4, 6, pageMargin - 4, 6);  // The bar has a stripe of its own.
  layout->addWidget(icon_);
  layout->addWidget(label_, 1);
  layout->addLayout(answers_);
  layout->addWidget(dismissButton);
  hide();
}

void MessageBar::say(Kind kind, const QString& text, std::vector<Answer> answers) {
  kind_ = kind;
  label_->setText(text);
  while (QLayoutItem* item = answers_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  for (Answer& answer : answers) {
    auto* button = new QPushButton(answer.text);
    connect(button, &QPushButton::clicked, this, [this, act = std::move(answer.act)] {
      dismiss();  // First: the act may have something else to say.
      act();
    });
    answers_->addWidget(button);
  }
  paintKind();
  show();
}

void MessageBar::dismiss() {
  hide();
  label_->clear();
}

void MessageBar::takeFocus() {
  if (!isVisible()) return;
  QWidget* first = answers_->count() > 0 ? answers_->itemAt(0)->widget() : findChild<QToolButton*>();
  first->setFocus(Qt::ShortcutFocusReason);
}

void MessageBar::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) paintKind();
}

void MessageBar::paintKind() {
  const ThemeColors colors = themeColors(palette());
  const bool isError = kind_ == Kind::error;
  const QColor color = isError ? colors.error : colors.warning;
  const Icon which = isError ? Icon::error : Icon::warning;
  icon_->setPixmap(icon(which, color).pixmap(18, 18));
  const QString sheet = QStringLiteral("#messageBar { background: %1; border: none; border-left: 4px solid %2; border-bottom: 1px solid %3; }")
                            .arg(colors.raised.name(), color.name(), colors.border.name());
  if (styleSheet() != sheet) setStyleSheet(sheet);
}

}  // namespace rackwright::gui
