#include <google/protobuf/descriptor.h>

#include <vector>

#include "gui/commands/scenario_editor.h"
#include "gui/document/scenario_document.h"
#include "models/base/random.h"
#include "scenarios/library/scenario_library.h"
#include "scenarios/schema/message_values.h"
#include "scenarios/schema/options.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/schema/written_names.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
namespace pb = google::protobuf;

namespace {

std::size_t below(RandomStream& random, std::size_t n) { return static_cast<std::size_t>(random.uniform() * static_cast<double>(n)); }

/// Every path of the message: fields given or not, items, entries.
void collect(const pb::Message& message, const std::string& path, std::vector<std::pair<std::string, const pb::FieldDescriptor*>>& paths) {
  const pb::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    const std::string at = scenarios::child_path(path, std::string(field.name()));
    paths.emplace_back(at, &field);
    if (field.is_map()) {
      for (const pb::Message* entry : scenarios::map_entries(message, field)) paths.emplace_back(scenarios::child_path(at, scenarios::map_key(*entry)), &field);
    } else if (field.is_repeated()) {
      for (int item = 0; item < message.GetReflection()->FieldSize(message, &field); ++item) {
        const std::string itemPath = scenarios::child_path(at, static_cast<std::size_t>(item));
        paths.emplace_back(itemPath, &field);
        if (field.message_type()) collect(message.GetReflection()->GetRepeatedMessage(message, &field, item), itemPath, paths);
      }
    } else if (field.message_type() && message.GetReflection()->HasField(message, &field)) {
      collect(message.GetReflection()->GetMessage(message, &field), at, paths);
    }
  }
}

std::string someValue(const pb::FieldDescriptor& field, RandomStream& random) {
  const v1::Parameter& rules = scenarios::parameter_of(field);
  if (field.message_type() && !field.is_map()) return "{}";
  if (field.cpp_type() == pb::FieldDescriptor::CPPTYPE_ENUM) {
    const std::vector<std::string> names = scenarios::written_names(*field.enum_type());
    return names[below(random, names.size())];
  }
  if (!rules.default_().empty() && random.uniform() < 0.3) return rules.default_();
  if (!rules.example().empty() && random.uniform() < 0.7) return rules.example();
  switch (below(random, 6)) {
    case 0: return std::to_string(below(random, 5000));
    case 1: return std::to_string(below(random, 90)) + " ms";
    case 2: return std::to_string(below(random, 90)) + " kW";
    case 3: return "'it''s: # \xc3\xa9'";
    case 4: return "true";
    default: return std::to_string(random.uniform());
  }
}

/// One edit as a user might make it; most fit, some are refused.
void editSomewhere(gui::ScenarioEditor& editor, RandomStream& random) {
  gui::ScenarioDocument& document = editor.document();
  std::vector<std::pair<std::string, const pb::FieldDescriptor*>> paths;
  collect(document.readable()->message(), "", paths);
  const auto& [path, field] = paths[below(random, paths.size())];
  std::string added;
  QString refused;
  const auto merging = random.uniform() < 0.3 ? gui::Merging::continuing : gui::Merging::separate;
  switch (below(random, 10)) {
    case 0: refused = editor.unset(path); break;
    case 1: refused = editor.add(path, added); break;
    case 2: refused = editor.duplicate(path, added); break;
    case 3: refused = editor.move(path, below(random, 3)); break;
    case 4: refused = editor.rename(path, "n" + std::to_string(below(random, 4))); break;
    case 5: {  // A comment in a line of its own changes nothing that is read.
      std::string text = document.current()->text();
      text += "# note " + std::to_string(below(random, 100)) + "\n";
      editor.type(text);
      break;
    }
    default: refused = editor.set(path, someValue(*field, random), merging); break;
  }
}

}  // namespace

TEST_CASE("Random edits end in scenarios that load at every step, and undoing all of them gives the first bytes") {
  const std::uint64_t seed = GENERATE(range(1u, 9u));
  INFO("seed " << seed);
  std::vector<std::string> texts = {test::hallText};
  for (const scenarios::LibraryScenario& scenario : scenarios::library_scenarios()) texts.emplace_back(scenario.text);
  RandomStream random(seed, "gui edits", "test");
  const std::string first = texts[below(random, texts.size())];
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor(document);
  document.openText(QStringLiteral("t.yaml"), first);
  for (int step = 0; step < 120; ++step) {
    const std::string before = document.current()->text();
    editSomewhere(editor, random);
    INFO("step " << step << "\n" << before << "\n-- became --\n" << document.current()->text());
    REQUIRE(document.current()->isWellFormed());
    if (random.uniform() < 0.2) document.undoStack().undo();
    if (random.uniform() < 0.1) document.undoStack().redo();
  }
  const std::string last = document.current()->text();
  const int done = document.undoStack().index();
  while (document.undoStack().canUndo()) document.undoStack().undo();
  CHECK(document.current()->text() == first);
  while (document.undoStack().index() < done) document.undoStack().redo();
  CHECK(document.current()->text() == last);
}
