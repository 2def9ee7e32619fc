#include "scenarios/codec/catalog_entry.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <utility>

#include "models/base/names.h"
#include "scenarios/codec/message_reader.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/codec/yaml_reader.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/scalar_value.h"
#include "scenarios/schema/sources.pb.h"

namespace rackwright::scenarios {
namespace {

/// Takes " @key" off the end of a plain scalar; the key, or "".
std::string take_mark(Node& scalar) {
  const auto at = scalar.value.rfind(" @");
  if (scalar.style != Node::Style::plain || at == std::string::npos) return {};
  std::string key = scalar.value.substr(at + 2);
  if (key.empty() || key.find(' ') != std::string::npos) return {};
  scalar.value.resize(scalar.value.find_last_not_of(' ', at) + 1);
  return key;
}

class MarkReader {
 public:
  MarkReader(const SourceText& source, const FigureSources& sources, Diagnostics& diagnostics)
      : source_(source), sources_(sources), diagnostics_(diagnostics) {}

  void strip(Node& node, const std::string& path) {
    for (NodeEntry& entry : node.entries) strip(entry.value, child_path(path, entry.key.value));
    for (std::size_t i = 0; i < node.items.size(); ++i) strip(node.items[i], child_path(path, i));
    if (!node.is_scalar()) return;
    const std::string key = take_mark(node);
    if (key.empty()) return;
    if (!sources_.contains(key)) {
      std::vector<std::string> known;
      for (const auto& [name, source] : sources_) known.push_back(name);
      diagnostics_.error(source_.location(node.begin), path, fmt::format("there is no source '{}'", key), name_hint(key, known));
    }
    marks_.sources[path] = key;
  }

  FigureMarks take(const pb::Message& message) {
    find_unmarked(message, "");
    return std::move(marks_);
  }

 private:
  void find_unmarked(const pb::Message& message, const std::string& path) {
    const pb::Descriptor& type = *message.GetDescriptor();
    const pb::Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < type.field_count(); ++i) {
      const pb::FieldDescriptor& field = *type.field(i);
      if (!is_given(message, field)) continue;
      const std::string at = child_path(path, std::string(field.name()));
      if (field.is_map()) {
        for (const pb::Message* entry : map_entries(message, field)) check_value(*entry, map_value_field(field), child_path(at, map_key(*entry)));
      } else if (!field.is_repeated()) {
        check_value(message, field, at);
      } else if (field.message_type()) {
        for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
          find_unmarked(reflection.GetRepeatedMessage(message, &field, k), child_path(at, static_cast<std::size_t>(k)));
        }
      }
    }
  }

  void check_value(const pb::Message& holder, const pb::FieldDescriptor& field, const std::string& at) {
    if (field.message_type()) return find_unmarked(holder.GetReflection()->GetMessage(holder, &field), at);
    const bool quantity = std::holds_alternative<double>(get_scalar(holder, field));
    if (quantity && !marks_.sources.contains(at)) marks_.unmarked.push_back(at);
  }

  const SourceText& source_;
  const FigureSources& sources_;
  Diagnostics& diagnostics_;
  FigureMarks marks_;
};

}  // namespace

FigureSources read_figure_sources(const std::string& file, std::string bytes, Diagnostics& diagnostics) {
  FigureSources sources;
  const SourceText source(file, std::move(bytes));
  const std::optional<Node> tree = read_yaml(source, diagnostics);
  if (!tree) return sources;
  if (!tree->is_map()) diagnostics.error(source.location(tree->begin), "", "a mapping of source keys is expected");
  for (const NodeEntry& entry : tree->entries) {
    v1::CatalogSource read;
    read_tree(entry.value, source, read, diagnostics, {{entry.key.value, std::nullopt}});
    const auto& confidence = *v1::CatalogSource::descriptor()->FindFieldByNumber(v1::CatalogSource::kConfidenceFieldNumber);
    sources[entry.key.value] = {read.title(), format_scalar(confidence, EnumNumber{read.confidence()})};
  }
  return sources;
}

FigureMarks read_catalog_entry(const std::string& file, std::string bytes, const FigureSources& sources,
                               pb::Message& message, Diagnostics& diagnostics) {
  const SourceText source(file, std::move(bytes));
  std::optional<Node> tree = read_yaml(source, diagnostics);
  if (!tree) return {};
  MarkReader marks(source, sources, diagnostics);
  marks.strip(*tree, "");
  read_tree(*tree, source, message, diagnostics);
  return marks.take(message);
}

}  // namespace rackwright::scenarios
