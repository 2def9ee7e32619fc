#include "gui/item_models/search_model.h"

namespace rackwright::gui {
namespace {

/// As many as anybody reads; the query says the rest.
constexpr std::size_t mostShown = 60;

QString kindText(SearchEntry::Kind kind) {
  switch (kind) {
    case SearchEntry::Kind::action: return SearchModel::tr("action");
    case SearchEntry::Kind::place: return SearchModel::tr("section");
    case SearchEntry::Kind::parameter: return SearchModel::tr("parameter");
    case SearchEntry::Kind::catalog: return SearchModel::tr("catalog");
    case SearchEntry::Kind::scenario: return SearchModel::tr("template");
  }
  return {};
}

}  // namespace

void SearchModel::setEntries(std::vector<SearchEntry> entries) {
  beginResetModel();
  entries_ = std::move(entries);
  find();
  endResetModel();
}

void SearchModel::setQuery(const QString& query) {
  beginResetModel();
  query_ = query;
  find();
  endResetModel();
}

void SearchModel::find() { found_ = findEntries(entries_, query_, mostShown); }

const SearchEntry* SearchModel::entryAt(const QModelIndex& index) const {
  return index.isValid() ? found_[static_cast<std::size_t>(index.row())] : nullptr;
}

int SearchModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(found_.size()); }

QVariant SearchModel::data(const QModelIndex& index, int role) const {
  const SearchEntry* entry = entryAt(index);
  if (!entry) return {};
  switch (role) {
    case Qt::DisplayRole: return entry->title;
    case Qt::AccessibleTextRole: return entry->title + QStringLiteral(", ") + kindText(entry->kind);
    case DetailRole: return entry->detail;
    case KindRole: return kindText(entry->kind);
    default: return {};
  }
}

}  // namespace rackwright::gui
