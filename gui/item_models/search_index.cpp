#include "gui/item_models/search_index.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <QStringList>
#include <algorithm>
#include <optional>

#include "gui/document/message_at.h"
#include "gui/item_models/reference_names.h"
#include "gui/item_models/summary_text.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

namespace pb = google::protobuf;

/// Beyond this many items, what is not given in them is left out.
constexpr int longList = 20;
/// A group deeper than this stands in itself.
constexpr int deepest = 8;

class Collector {
 public:
  explicit Collector(std::vector<SearchEntry>& entries) : entries_(entries) {}

  void group(const pb::Message& message, const std::string& path, const QString& shown, bool withAbsent, int depth = 0) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const pb::FieldDescriptor& field = *message.GetDescriptor()->field(i);
      const bool given = scenarios::is_given(message, field);
      if (!given && !withAbsent) continue;
      const std::string name(field.name());
      const std::string at = scenarios::child_path(path, name);
      const QString place = shown.isEmpty() ? readableName(name) : shown + QStringLiteral(" › ") + readableName(name);
      SearchEntry entry{SearchEntry::Kind::parameter, place, {}, QString::fromStdString(name + " " + scenarios::parameter_of(field).help()), at};
      const bool scalar = !field.is_repeated() && !field.message_type();
      if (scalar && given) entry.detail = QString::fromStdString(scenarios::format_scalar(field, scenarios::get_scalar(message, field)));
      if (!scalar) entry.kind = SearchEntry::Kind::place;
      entries_.push_back(std::move(entry));
      if (field.is_repeated() && scenarios::holds_messages(field)) items(message, field, at, place);
      else if (field.message_type() && !field.is_repeated() && depth < deepest) group(message.GetReflection()->GetMessage(message, &field), at, place, withAbsent, depth + 1);
    }
  }

 private:
  void items(const pb::Message& message, const pb::FieldDescriptor& field, const std::string& path, const QString& shown) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    const auto add = [&](const pb::Message& item, const std::string& at, const QString& name) {
      const QString place = shown + QStringLiteral(" › ") + name;
      entries_.push_back({SearchEntry::Kind::place, place, summaryText(item), {}, at});
      group(item, at, place, size <= longList);
    };
    if (field.is_map()) {
      for (const pb::Message* entry : scenarios::map_entries(message, field)) {
        const std::string key = scenarios::map_key(*entry);
        add(entry->GetReflection()->GetMessage(*entry, entry->GetDescriptor()->map_value()), scenarios::child_path(path, key), QString::fromStdString(key));
      }
      return;
    }
    for (int i = 0; i < size; ++i) {
      const pb::Message& item = message.GetReflection()->GetRepeatedMessage(message, &field, i);
      const std::string name = nameOfItem(item);
      add(item, scenarios::child_path(path, static_cast<std::size_t>(i)), name.empty() ? QString::number(i) : QString::fromStdString(name));
    }
  }

  std::vector<SearchEntry>& entries_;
};

/// How well the entry fits, lower is better; nothing where a word is missing.
std::optional<int> rank(const SearchEntry& entry, const QStringList& words) {
  int sum = 0;
  for (const QString& word : words) {
    const qsizetype inTitle = entry.title.lastIndexOf(word, -1, Qt::CaseInsensitive);
    if (inTitle >= 0) {
      const bool wordBegins = inTitle == 0 || !entry.title[inTitle - 1].isLetterOrNumber();
      sum += wordBegins ? 0 : 2;
    } else if (entry.detail.contains(word, Qt::CaseInsensitive)) {
      sum += 4;
    } else if (entry.words.contains(word, Qt::CaseInsensitive)) {
      sum += 8;
    } else {
      return std::nullopt;
    }
  }
  if (entry.kind == SearchEntry::Kind::parameter && entry.detail.isEmpty()) ++sum;  // What is given comes first.
  // Of equal fits, the shorter title is the nearer one.
  return sum * 1000 + static_cast<int>(std::min<qsizetype>(entry.title.size(), 999));
}

}  // namespace

std::vector<SearchEntry> placesOf(const ScenarioSnapshot& scenario) {
  std::vector<SearchEntry> entries;
  Collector(entries).group(scenario.message(), "", {}, true);
  return entries;
}

std::vector<SearchEntry> catalogEntries(const scenarios::Catalog& catalog) {
  std::vector<SearchEntry> entries;
  for (const std::string& kind : scenarios::Catalog::kinds()) {
    for (const std::string& name : catalog.names(kind)) {
      const QString title = QString::fromStdString(name);
      const QString detail = catalogTitle(catalog, kind, name);
      entries.push_back({SearchEntry::Kind::catalog, title, detail == title ? QString::fromStdString(kind) : detail, QString::fromStdString(kind + " catalog"), kind + "/" + name});
    }
  }
  return entries;
}

std::vector<const SearchEntry*> findEntries(const std::vector<SearchEntry>& entries, const QString& query, std::size_t limit) {
  const QStringList words = query.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  std::vector<std::pair<int, const SearchEntry*>> ranked;
  for (const SearchEntry& entry : entries) {
    if (words.isEmpty() && ranked.size() == limit) break;
    if (const auto fit = rank(entry, words)) ranked.emplace_back(words.isEmpty() ? 0 : *fit, &entry);
  }
  const auto byRank = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(ranked.begin(), ranked.end(), byRank);
  if (ranked.size() > limit) ranked.resize(limit);
  std::vector<const SearchEntry*> found;
  for (const auto& [fit, entry] : ranked) found.push_back(entry);
  return found;
}

}  // namespace rackwright::gui
