#include "gui/item_models/outline_model.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "gui/document/message_at.h"
#include "gui/document/scenario_document.h"
#include "gui/item_models/summary_text.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;
using Branch = TreeBranch<OutlineItem>;

std::vector<Branch> below(const pb::Message& message, const std::string& path);

/// Only the value that a bare text would fill, or nothing: not worth a row of its own.
bool isBare(const pb::Message& group) {
  const pb::FieldDescriptor* bare = scenarios::shorthand_field(*group.GetDescriptor());
  std::vector<const pb::FieldDescriptor*> given;
  group.GetReflection()->ListFields(group, &given);
  return bare && (given.empty() || (given.size() == 1 && given.front() == bare));
}

Branch item(const std::string& id, const std::string& path, const pb::Message& group, const std::string& name) {
  OutlineItem content{path, QString::fromStdString(name), summaryText(group), true, false};
  if (name.empty()) content.title = QStringLiteral("[%1]").arg(QString::fromStdString(id));
  return {id, std::move(content), below(group, path)};
}

Branch collection(const pb::Message& message, const pb::FieldDescriptor& field, const std::string& path) {
  const std::string name(field.name());
  const int size = message.GetReflection()->FieldSize(message, &field);
  Branch branch{name, {path, readableName(name), QString::number(size), size > 0, true}};
  if (size == 0) branch.content.summary.clear();
  branch.children.reserve(static_cast<std::size_t>(size));
  if (field.is_map()) {
    for (const pb::Message* entry : scenarios::map_entries(message, field)) {
      const std::string key = scenarios::map_key(*entry);
      const pb::Message& value = entry->GetReflection()->GetMessage(*entry, entry->GetDescriptor()->map_value());
      branch.children.push_back(item(key, scenarios::child_path(path, key), value, key));
    }
    return branch;
  }
  for (int i = 0; i < size; ++i) {
    const pb::Message& value = message.GetReflection()->GetRepeatedMessage(message, &field, i);
    branch.children.push_back(item(std::to_string(i), scenarios::child_path(path, static_cast<std::size_t>(i)), value, nameOfItem(value)));
  }
  return branch;
}

/// The groups and collections of messages inside a message; those of the root also where they are not given.
std::vector<Branch> below(const pb::Message& message, const std::string& path) {
  std::vector<Branch> branches;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const pb::FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (!scenarios::holds_messages(field)) continue;
    const bool given = scenarios::is_given(message, field);
    if (!given && !path.empty()) continue;
    const std::string name(field.name());
    const std::string at = scenarios::child_path(path, name);
    if (field.is_repeated()) {
      branches.push_back(collection(message, field, at));
      continue;
    }
    const pb::Message& group = message.GetReflection()->GetMessage(message, &field);
    if (!path.empty() && isBare(group)) continue;
    OutlineItem content{at, readableName(name), given ? summaryText(group) : QString(), given, false};
    branches.push_back({name, std::move(content), given ? below(group, at) : std::vector<Branch>()});
  }
  return branches;
}

}  // namespace

OutlineModel::OutlineModel(ScenarioDocument& document, QObject* parent) : TreeModel(parent), document_(document) {
  connect(&document_, &ScenarioDocument::changed, this, [this](const DocumentChange& change) {
    if (change.kind == DocumentChange::Kind::loaded) {
      findings_ = {};
      replace(wanted());
    } else {
      sync(wanted());
    }
  });
  replace(wanted());
}

std::vector<OutlineModel::Branch> OutlineModel::wanted() const {
  if (!document_.readable()) return {};
  const v1::Scenario& scenario = document_.readable()->message();
  const QString title = scenario.has_name() ? QString::fromStdString(scenario.name()) : document_.title();
  return {{"", {"", title, {}, true, false}, below(scenario, "")}};
}

int OutlineModel::columnCount(const QModelIndex&) const { return 1; }

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
  const OutlineItem* item = contentAt(index);
  if (!item) return {};
  switch (role) {
    case Qt::DisplayRole: return item->title;
    case Qt::ToolTipRole: {
      const QString said = findings_.text(item->path);
      return said.isEmpty() ? QString::fromStdString(item->path) : said;
    }
    case Qt::AccessibleTextRole: return item->summary.isEmpty() ? item->title : item->title + QStringLiteral(", ") + item->summary;
    case PathRole: return QString::fromStdString(item->path);
    case SummaryRole: return item->summary;
    case GivenRole: return item->given;
    case IsCollectionRole: return item->isCollection;
    case SeverityRole: {
      const auto worst = findings_.worst(item->path);
      return worst ? QVariant(static_cast<int>(*worst)) : QVariant();
    }
    default: return {};
  }
}

QVariant OutlineModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (section != 0 || orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return tr("Scenario");
}

QModelIndex OutlineModel::indexOfPath(std::string path) const {
  for (;;) {
    const QModelIndex found = find([&](const OutlineItem& item) { return item.path == path; });
    if (found.isValid() || path.empty()) return found;
    const std::size_t cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
}

void OutlineModel::setFindings(FindingIndex findings) {
  findings_ = std::move(findings);
  // Marks may come and go anywhere; views ask only for what they show.
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0), {SeverityRole, Qt::ToolTipRole});
}

}  // namespace rackwright::gui
