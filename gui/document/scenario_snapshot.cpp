#include "gui/document/scenario_snapshot.h"

#include "scenarios/codec/codec.h"
#include "scenarios/codec/message_reader.h"
#include "scenarios/schema/scenario.pb.h"

namespace rackwright::gui {
namespace {

scenarios::Notation notationOf(const std::string& file) {
  const bool json = scenarios::format_of(file) == scenarios::Format::json;
  return json ? scenarios::Notation::json : scenarios::Notation::yaml;
}

}  // namespace

ScenarioSnapshot::ScenarioSnapshot(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)), message_(std::make_unique<v1::Scenario>()), places_(file_) {
  const auto source = std::make_shared<const scenarios::SourceText>(file_, text_);
  editable_ = scenarios::EditableText::read(*source, notationOf(file_), *v1::Scenario::descriptor(), findings_);
  if (!editable_) return;
  scenarios::read_tree(editable_->tree(), *source, *message_, findings_);
  places_ = scenarios::SourceMap(source, editable_->tree(), *v1::Scenario::descriptor());
}

ScenarioSnapshot::~ScenarioSnapshot() = default;

scenarios::Notation ScenarioSnapshot::notation() const { return notationOf(file_); }

}  // namespace rackwright::gui
