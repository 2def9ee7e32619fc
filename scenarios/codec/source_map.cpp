#include "scenarios/codec/source_map.h"

#include <google/protobuf/descriptor.h>

#include <utility>

#include "scenarios/codec/node_walk.h"
#include "scenarios/schema/options.h"

namespace rackwright::scenarios {

SourceMap::SourceMap(std::string file) : file_(std::move(file)) {}

SourceMap::SourceMap(std::shared_ptr<const SourceText> source, Node tree, const pb::Descriptor& type)
    : file_(source->file()), source_(std::move(source)), tree_(std::move(tree)), type_(&type) {}

void SourceMap::add(const Path& path, Location location) {
  added_.insert_or_assign(to_string(nearest(path).path), std::move(location));
}

SourceMap::Nearest SourceMap::nearest(const Path& path) const {
  Nearest at{source_ ? &tree_ : nullptr, 0, path};
  const pb::Descriptor* type = type_;
  const pb::FieldDescriptor* many = nullptr;  // Set between a list or map field and the step into it.
  const auto enter = [&](const Node& node, std::size_t step) { at.node = &node, at.steps = step + 1; };
  for (std::size_t i = 0; at.node && i < path.size(); ++i) {
    const PathStep& step = path[i];
    const Node& node = *at.node;
    if (many && many->is_map()) {
      const NodeEntry* entry = node.find(step.key);
      if (!entry) return at;
      enter(entry->value, i);
    } else if (many) {
      const std::optional<std::size_t> item = find_item(node, *many, step);
      if (!item) return at;
      at.path[i] = {{}, *item};
      enter(node.items[*item], i);
    } else {
      const pb::FieldDescriptor* field = type ? type->FindFieldByName(step.key) : nullptr;
      if (!field) return at;
      const NodeEntry* entry = node.find(step.key);
      if (entry) {
        enter(entry->value, i);
      } else if (is_shorthand(node, *type) && shorthand_field(*type) == field) {
        at.steps = i + 1;
      } else {
        return at;
      }
      type = held_type(*field);
      many = field->is_repeated() ? field : nullptr;
      continue;
    }
    many = nullptr;
  }
  return at;
}

const Location* SourceMap::added(const Path& path) const {
  for (std::size_t steps = path.size(); !added_.empty() && steps > 0; --steps) {
    const Path head(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps));
    if (const auto found = added_.find(to_string(head)); found != added_.end()) return &found->second;
  }
  return nullptr;
}

Location SourceMap::find(std::string_view text) const {
  std::string problem;
  const Nearest at = nearest(parse_path(text, problem).value_or(Path{}));
  if (const Location* elsewhere = added(at.path)) return *elsewhere;
  return at.node ? source_->location(at.node->begin) : Location{file_};
}

bool SourceMap::is_written(std::string_view text) const {
  std::string problem;
  const Nearest at = nearest(parse_path(text, problem).value_or(Path{}));
  return at.node && at.steps == at.path.size() && !at.node->is_null() && !added(at.path);
}

}  // namespace rackwright::scenarios
