#pragma once

#include <memory>
#include <optional>
#include <string>

#include "models/base/diagnostic.h"
#include "scenarios/codec/editable_text.h"
#include "scenarios/codec/source_map.h"

namespace rackwright::v1 {
class Scenario;
}

namespace rackwright::gui {

/// One version of a scenario's text and what reading it tells. Immutable, so that models and threads share it.
class ScenarioSnapshot {
 public:
  /// `file` names the text in findings; its ending tells JSON from YAML.
  ScenarioSnapshot(std::string file, std::string text);
  ~ScenarioSnapshot();
  ScenarioSnapshot(const ScenarioSnapshot&) = delete;
  ScenarioSnapshot& operator=(const ScenarioSnapshot&) = delete;

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  scenarios::Notation notation() const;

  /// Whether the text is YAML at all: edits by path need that, and nothing more.
  bool isWellFormed() const { return editable_.has_value(); }
  /// Requires `isWellFormed()`.
  const scenarios::EditableText& editable() const { return *editable_; }
  /// As far as the text fits the schema; empty when it is not well formed.
  const v1::Scenario& message() const { return *message_; }
  const scenarios::SourceMap& places() const { return places_; }
  /// What reading found; the check finds more.
  const Diagnostics& findings() const { return findings_; }

 private:
  std::string file_;
  std::string text_;
  std::optional<scenarios::EditableText> editable_;
  std::unique_ptr<v1::Scenario> message_;
  scenarios::SourceMap places_;
  Diagnostics findings_;
};

using SharedSnapshot = std::shared_ptr<const ScenarioSnapshot>;

}  // namespace rackwright::gui
