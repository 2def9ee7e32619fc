#include "gui/item_models/property_model.h"

#include <google/protobuf/descriptor.h>

#include <QFont>

#include "gui/document/scenario_document.h"
#include "gui/item_models/property_builder.h"
#include "scenarios/schema/description.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scalar_value.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

/// What a rich tooltip shows of a text from a file or the schema.
QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

bool isEditable(const PropertyItem& item, int column) {
  if (item.kind == PropertyKind::entry) return column != PropertyModel::OriginColumn;
  return column == PropertyModel::ValueColumn && (item.kind == PropertyKind::scalar || item.kind == PropertyKind::scalarList);
}

}  // namespace

PropertyModel::PropertyModel(ScenarioEditor& editor, const scenarios::Catalog& catalog, QObject* parent)
    : TreeModel(parent), editor_(editor), catalog_(catalog), presets_(catalog) {
  connect(&editor_.document(), &ScenarioDocument::changed, this, [this](const DocumentChange& change) {
    if (change.kind == DocumentChange::Kind::loaded) {
      checked_.reset();
      findings_ = {};
      path_.clear();
      replace(wanted());
    } else {
      refresh();
    }
  });
  replace(wanted());
}

void PropertyModel::setPath(const std::string& path) {
  if (path == path_) return;
  path_ = path;
  replace(wanted());
}

QString PropertyModel::readablePlace() const { return readablePath(editor_.document(), path_); }

void PropertyModel::setChecked(SharedCheckResult result) {
  checked_ = std::move(result);
  findings_ = checked_ ? FindingIndex(*checked_) : FindingIndex();
  refresh();
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void PropertyModel::refresh() { sync(wanted()); }

const v1::Scenario* PropertyModel::scenario() const {
  const SharedSnapshot& readable = editor_.document().readable();
  return readable ? &readable->message() : nullptr;
}

std::vector<PropertyModel::Branch> PropertyModel::wanted() {
  const SharedSnapshot& readable = editor_.document().readable();
  if (!readable) return {};
  return propertyRows(*readable, checked_ ? checked_->resolved.get() : nullptr, presets_, path_);
}

int PropertyModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QString PropertyModel::origin(const PropertyItem& item) const {
  if (!item.noEffect.isEmpty() && item.given) return tr("no effect");
  switch (item.origin) {
    case PropertyOrigin::file: return item.overrides ? tr("overrides %1").arg(item.preset) : QString();
    case PropertyOrigin::preset: return item.preset;
    case PropertyOrigin::standard: return tr("default");
    case PropertyOrigin::derived: return tr("derived");
    case PropertyOrigin::none: break;
  }
  const bool needed = item.kind != PropertyKind::item && item.kind != PropertyKind::entry && scenarios::parameter_of(*item.field).required();
  return needed && !item.given ? tr("required") : QString();
}

QString PropertyModel::toolTip(const PropertyItem& item, int column) const {
  const scenarios::ParameterInfo info = scenarios::describe_parameter(*item.field);
  QString text = QStringLiteral("<p><b>%1</b></p><p>%2</p>").arg(QString::fromStdString(item.path).toHtmlEscaped(), escaped(info.help));
  QStringList facts{escaped(scenarios::type_text(info))};
  if (!info.range.empty()) facts.push_back(escaped(info.range));
  text += QStringLiteral("<p>%1</p>").arg(facts.join(QStringLiteral(", ")));
  if (!info.default_text.empty()) {
    text += QStringLiteral("<p>%1</p>").arg(tr("Default %1 (%2)").arg(escaped(info.default_text), escaped(info.source)));
  } else if (!info.example.empty()) {
    text += QStringLiteral("<p>%1</p>").arg(tr("For example %1").arg(escaped(info.example)));
  }
  if (item.overrides) text += QStringLiteral("<p>%1</p>").arg(tr("%1 has %2").arg(item.preset.toHtmlEscaped(), item.fallback.toHtmlEscaped()));
  const QString said = findings_.text(item.path);
  if (!item.noEffect.isEmpty() && said.isEmpty()) text += QStringLiteral("<p>%1</p>").arg(tr("No effect, because %1").arg(item.noEffect.toHtmlEscaped()));
  if (!said.isEmpty() && column != OriginColumn) text += QStringLiteral("<p><b>%1</b></p>").arg(said.toHtmlEscaped());
  return text;
}

QVariant PropertyModel::data(const QModelIndex& index, int role) const {
  const PropertyItem* item = contentAt(index);
  if (!item) return {};
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == NameColumn) return item->name;
      if (index.column() == OriginColumn) return origin(*item);
      return item->given ? item->value : item->fallback;
    case Qt::EditRole:
      if (index.column() == NameColumn) return item->name;
      return item->value;
    case Qt::ToolTipRole: return toolTip(*item, index.column());
    case Qt::FontRole: {
      QFont font;
      font.setBold(index.column() != OriginColumn && item->overrides);
      font.setItalic(index.column() == ValueColumn && !item->given);
      return font;
    }
    case PathRole: return QString::fromStdString(item->path);
    case FallbackRole: return item->fallback;
    case GivenRole: return item->given;
    case SeverityRole: {
      const auto worst = findings_.worst(item->path);
      return worst ? QVariant(static_cast<int>(*worst)) : QVariant();
    }
    default: return {};
  }
}

QVariant PropertyModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return tr("Parameter");
    case ValueColumn: return tr("Value");
    case OriginColumn: return tr("From");
    default: return {};
  }
}

Qt::ItemFlags PropertyModel::flags(const QModelIndex& index) const {
  const PropertyItem* item = contentAt(index);
  if (!item) return Qt::NoItemFlags;
  const bool writable = editor_.document().isOpen() && editor_.document().current()->isWellFormed();
  const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  return writable && isEditable(*item, index.column()) ? flags | Qt::ItemIsEditable : flags;
}

bool PropertyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  return role == Qt::EditRole && write(index, value.toString().trimmed(), Merging::separate);
}

bool PropertyModel::slide(const QModelIndex& index, const QString& value) { return write(index, value, Merging::continuing); }

bool PropertyModel::write(const QModelIndex& index, const QString& text, Merging merging) {
  const PropertyItem* item = contentAt(index);
  if (!item || !isEditable(*item, index.column())) return false;
  const std::string path = item->path;  // The row may be another one once the document has changed.
  QString problem;
  if (index.column() == NameColumn) {
    if (text == item->name) return true;
    problem = editor_.rename(path, text.toStdString());
  } else if (text.isEmpty()) {
    if (!item->given) return true;
    problem = editor_.unset(path);
  } else {
    if (item->given && text == item->value) return true;
    problem = editor_.set(path, text.toStdString(), merging);
  }
  if (!problem.isEmpty()) Q_EMIT refused(QString::fromStdString(path), problem);
  return problem.isEmpty();
}

QModelIndex PropertyModel::indexOfPath(const std::string& path) const {
  return find([&](const PropertyItem& item) { return item.path == path; });
}

QString PropertyModel::problemOf(const QModelIndex& index, const QString& text) const {
  const PropertyItem* item = contentAt(index);
  if (!item || text.trimmed().isEmpty() || index.column() != ValueColumn || item->kind == PropertyKind::scalarList) return {};
  scenarios::ValueProblem problem;
  if (scenarios::parse_scalar(*item->field, text.trimmed().toStdString(), problem)) return {};
  QString said = QString::fromStdString(problem.message);
  if (!problem.hint.empty()) said += QStringLiteral(" (%1)").arg(QString::fromStdString(problem.hint));
  return said;
}

}  // namespace rackwright::gui
