#include "gui/views/value_editor.h"

#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QModelIndex>
#include <QPersistentModelIndex>
#include <QSlider>
#include <QStyle>
#include <QToolButton>
#include <QToolTip>
#include <cmath>
#include <optional>

#include "gui/item_models/property_model.h"
#include "gui/item_models/reference_names.h"
#include "gui/views/icons.h"
#include "models/base/quantity.h"
#include "scenarios/schema/description.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

constexpr int sliderSteps = 100;

QLineEdit* lineOf(const QWidget& editor) {
  if (const auto* box = qobject_cast<const QComboBox*>(&editor)) return box->lineEdit();
  if (const auto* line = qobject_cast<const QLineEdit*>(&editor)) return const_cast<QLineEdit*>(line);
  return editor.findChild<QLineEdit*>();
}

/// Marks a text that does not fit while it is typed, and says why beside it.
void checkWhileTyping(QLineEdit& line, PropertyModel& model, const QModelIndex& index) {
  QObject::connect(&line, &QLineEdit::textChanged, &line, [&line, &model, place = QPersistentModelIndex(index)](const QString& text) {
    const QString problem = model.problemOf(place, text);
    const bool invalid = !problem.isEmpty();
    if (line.property("invalid").toBool() != invalid) {
      line.setProperty("invalid", invalid);
      line.style()->unpolish(&line);
      line.style()->polish(&line);
    }
    line.setToolTip(problem);
    if (invalid) QToolTip::showText(line.mapToGlobal(QPoint(0, line.height())), problem, &line);
    else QToolTip::hideText();
  });
}

QComboBox* choiceBox(const scenarios::ParameterInfo& info, QWidget* parent) {
  auto* box = new QComboBox(parent);
  if (info.type == scenarios::ParameterType::truth) {
    box->addItems({QStringLiteral("true"), QStringLiteral("false")});
    return box;
  }
  for (const scenarios::ChoiceInfo& choice : info.choices) {
    box->addItem(QString::fromStdString(choice.name));
    box->setItemData(box->count() - 1, QString::fromStdString(choice.help), Qt::ToolTipRole);
  }
  return box;
}

QComboBox* nameBox(const std::vector<ReferenceName>& names, QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setEditable(true);
  box->setInsertPolicy(QComboBox::NoInsert);
  for (const ReferenceName& name : names) {
    box->addItem(name.name);
    box->setItemData(box->count() - 1, name.title, Qt::ToolTipRole);
  }
  box->completer()->setFilterMode(Qt::MatchContains);
  box->completer()->setCompletionMode(QCompleter::PopupCompletion);
  return box;
}

/// A line with something beside it.
QLineEdit* lineWith(QWidget* holder, QWidget* beside) {
  auto* line = new QLineEdit;
  auto* layout = new QHBoxLayout(holder);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(line, 1);
  layout->addWidget(beside);
  holder->setFocusProxy(line);
  holder->setAutoFillBackground(true);
  return line;
}

QWidget* fileEditor(QWidget* parent) {
  auto* holder = new QWidget(parent);
  auto* browse = new QToolButton;
  browse->setIcon(icon(Icon::folder));
  browse->setToolTip(PropertyModel::tr("Choose a file"));
  browse->setAccessibleName(browse->toolTip());
  browse->setFocusPolicy(Qt::TabFocus);
  QLineEdit* line = lineWith(holder, browse);
  QObject::connect(browse, &QToolButton::clicked, holder, [holder, line] {
    auto* dialog = new QFileDialog(holder->window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, line, &QLineEdit::setText);
    dialog->open();
  });
  return holder;
}

/// Both bounds of a fraction, where it has them.
std::optional<std::pair<double, double>> bounds(const scenarios::ParameterInfo& info) {
  if (info.type != scenarios::ParameterType::quantity || info.multiplicity != scenarios::Multiplicity::one || info.unit != "fraction") return std::nullopt;
  const std::optional<double> low = info.min ? info.min : info.above;
  const std::optional<double> high = info.max ? info.max : info.below;
  if (!low || !high) return std::nullopt;
  return std::pair(*low, *high);
}

QWidget* sliderEditor(PropertyModel& model, const QModelIndex& index, std::pair<double, double> range, QWidget* parent) {
  auto* holder = new QWidget(parent);
  auto* slider = new QSlider(Qt::Horizontal);
  slider->setRange(0, sliderSteps);
  slider->setFixedWidth(90);
  slider->setAccessibleName(index.siblingAtColumn(PropertyModel::NameColumn).data().toString());
  QLineEdit* line = lineWith(holder, slider);
  const auto [low, high] = range;
  QObject::connect(line, &QLineEdit::textChanged, slider, [slider, low = low, high = high](const QString& text) {
    QuantityError ignored;
    const auto value = parse_quantity(text.trimmed().toStdString(), "fraction", ignored);
    const QSignalBlocker quiet(slider);
    if (value) slider->setValue(static_cast<int>(std::lround((*value - low) / (high - low) * sliderSteps)));
  });
  QObject::connect(slider, &QSlider::valueChanged, line, [line, &model, place = QPersistentModelIndex(index), low = low, high = high](int step) {
    const double value = low + (high - low) * step / sliderSteps;
    const QString text = QString::number(value, 'g', 3);
    line->setText(text);
    if (place.isValid() && model.problemOf(place, text).isEmpty()) model.slide(place, text);
  });
  return holder;
}

}  // namespace

QWidget* makeValueEditor(PropertyModel& model, const QModelIndex& index, QWidget* parent) {
  const PropertyItem& item = *model.contentAt(index);
  const scenarios::ParameterInfo info = scenarios::describe_parameter(*item.field);
  QWidget* editor = nullptr;
  if (index.column() == PropertyModel::ValueColumn && item.kind == PropertyKind::scalar) {
    if (info.type == scenarios::ParameterType::choice || info.type == scenarios::ParameterType::truth) return choiceBox(info, parent);
    const auto names = model.scenario() ? referenceNames(*item.field, *model.scenario(), model.catalog()) : std::vector<ReferenceName>();
    if (!names.empty()) editor = nameBox(names, parent);
    else if (info.refers_to == "file") editor = fileEditor(parent);
    else if (const auto range = bounds(info)) editor = sliderEditor(model, index, *range, parent);
  }
  if (!editor) editor = new QLineEdit(parent);
  QLineEdit* line = lineOf(*editor);
  const QString example = QString::fromStdString(info.example);
  line->setPlaceholderText(!item.fallback.isEmpty() ? item.fallback : example.isEmpty() ? QString() : PropertyModel::tr("e.g. %1").arg(example));
  if (index.column() == PropertyModel::ValueColumn) checkWhileTyping(*line, model, index);
  return editor;
}

QString textOf(const QWidget& editor) {
  if (const auto* box = qobject_cast<const QComboBox*>(&editor)) return box->currentText();
  return lineOf(editor)->text();
}

void setText(QWidget& editor, const QString& text) {
  if (auto* box = qobject_cast<QComboBox*>(&editor)) {
    box->setCurrentIndex(box->findText(text));
    if (box->isEditable()) box->setEditText(text);
    return;
  }
  if (lineOf(editor)->text() != text) lineOf(editor)->setText(text);
}

}  // namespace rackwright::gui
