#include "gui/views/start_page.h"

#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gui/run/number_text.h"
#include "gui/views/icons.h"
#include "scenarios/library/scenario_library.h"

namespace rackwright::gui {
namespace {

QLabel* label(const QString& text, const char* property) {
  auto* made = new QLabel(text);
  made->setProperty(property, true);
  made->setWordWrap(true);
  return made;
}

/// A button as large as what is laid out in it.
class CardButton final : public QPushButton {
 public:
  QSize sizeHint() const override { return layout()->totalSizeHint(); }
  QSize minimumSizeHint() const override { return {240, 0}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return layout()->totalHeightForWidth(width); }
};

/// A card that is one button: a title, and what it is about.
QPushButton* card(const QString& title, const QString& text, Icon which) {
  auto* button = new CardButton;
  button->setProperty("card", true);
  button->setCursor(Qt::PointingHandCursor);
  button->setAccessibleName(title);
  button->setAccessibleDescription(text);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  button->setSizePolicy(policy);
  auto* heading = new QLabel(title);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  heading->setWordWrap(true);
  QLabel* about = label(text, "subtle");
  auto* words = new QVBoxLayout;
  words->setSpacing(3);
  words->addWidget(heading);
  words->addWidget(about);
  auto* layout = new QHBoxLayout(button);
  layout->setContentsMargins(14, 11, 14, 11);
  layout->setSpacing(12);
  layout->addWidget(iconWidget(which, 22), 0, Qt::AlignTop);
  layout->addLayout(words, 1);
  for (QLabel* part : {heading, about}) part->setAttribute(Qt::WA_TransparentForMouseEvents);
  return button;
}

/// A line that is a button.
QPushButton* link(Icon which, const QString& title) {
  auto* button = new QPushButton(icon(which), title);
  button->setCursor(Qt::PointingHandCursor);
  button->setProperty("link", true);
  return button;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent), recent_(new QVBoxLayout) {
  setObjectName(QStringLiteral("startPage"));
  auto* page = new QWidget;
  page->setMaximumWidth(980);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(28);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  left->setSpacing(10);
  right->setSpacing(10);
  columns->addLayout(left, 1);
  columns->addLayout(right, 1);

  const std::vector<scenarios::LibraryScenario> library = scenarios::library_scenarios();
  left->addWidget(label(tr("Begin"), "subtle"));
  QWidget* previous = nullptr;
  for (const scenarios::LibraryScenario& scenario : library) {
    if (scenario.category != "tutorial") continue;
    QPushButton* button = card(QString::fromStdString(scenario.title), QString::fromStdString(scenario.description), Icon::run);
    button->setObjectName(QStringLiteral("template:") + QString::fromStdString(scenario.path));
    connect(button, &QPushButton::clicked, this, [this, path = QString::fromStdString(scenario.path)] { Q_EMIT templateChosen(path); });
    left->addWidget(button);
    if (!previous) button->setFocus(), previous = button;
  }
  QPushButton* open = card(tr("Open…"), tr("A scenario, or the folder of an earlier run. Files can be dropped here too: a scenario, a run, a request log, a model's config.json."), Icon::open);
  connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
  left->addWidget(open);
  left->addSpacing(10);
  left->addLayout(recent_);
  left->addStretch(1);

  right->setSpacing(1);
  std::string category;
  for (const scenarios::LibraryScenario& scenario : library) {
    if (scenario.category == "tutorial") continue;
    if (scenario.category != category) {
      if (!category.empty()) right->addSpacing(12);
      category = scenario.category;
      right->addWidget(label(sentence(QString::fromStdString(category)), "subtle"));
      right->addSpacing(4);
    }
    QPushButton* button = link(Icon::document, QString::fromStdString(scenario.title));
    button->setToolTip(QString::fromStdString(scenario.description));
    connect(button, &QPushButton::clicked, this, [this, path = QString::fromStdString(scenario.path)] { Q_EMIT templateChosen(path); });
    right->addWidget(button);
  }
  right->addStretch(1);

  auto* body = new QVBoxLayout(page);
  body->setContentsMargins(36, 40, 36, 36);
  body->setSpacing(6);
  body->addWidget(label(tr("Rackwright"), "heading"));
  body->addWidget(label(tr("What goes into an AI-inference datacenter, and what comes out of it: tokens, milliseconds and watts."), "subtle"));
  body->addSpacing(22);
  body->addLayout(columns);
  body->addStretch(1);

  auto* centred = new QWidget;
  auto* middle = new QHBoxLayout(centred);
  middle->setContentsMargins(0, 0, 0, 0);
  middle->addStretch(1);
  middle->addWidget(page, 100);
  middle->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(centred);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
}

void StartPage::setRecent(const QStringList& files) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  if (files.isEmpty()) return;
  recent_->addWidget(label(tr("Recent"), "subtle"));
  for (const QString& file : files) {
    const QFileInfo info(file);
    QPushButton* button = link(info.isDir() ? Icon::chart : Icon::document, info.fileName());
    button->setToolTip(file);
    connect(button, &QPushButton::clicked, this, [this, file] { Q_EMIT fileChosen(file); });
    recent_->addWidget(button);
  }
}

}  // namespace rackwright::gui
