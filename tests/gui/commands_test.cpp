#include "gui/commands/scenario_draft.h"
#include "gui/commands/scenario_editor.h"
#include "gui/document/scenario_document.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using gui::Merging;
using gui::ScenarioDocument;
using gui::ScenarioEditor;

namespace {

struct Session {
  explicit Session(const std::string& text = test::hallText) { document.openText(QStringLiteral("t.yaml"), text); }
  const std::string& text() const { return document.current()->text(); }
  const v1::Scenario& message() const { return document.current()->message(); }
  QUndoStack& stack() { return document.undoStack(); }

  ScenarioDocument document;
  ScenarioEditor editor{document};
};

}  // namespace

TEST_CASE("A value that is set is one command with a text for people, and keeps every comment") {
  Session s;
  REQUIRE(s.editor.set("deployment[1].scheduler.token_budget", "1024").isEmpty());
  CHECK(s.stack().undoText() == QStringLiteral("Set deployment.long.scheduler.token_budget to 1024"));
  std::string expected = test::hallText;
  expected.replace(expected.find("512}"), 3, "1024");
  CHECK(s.text() == expected);
  s.stack().undo();
  CHECK(s.text() == test::hallText);
  s.stack().redo();
  CHECK(s.text() == expected);
}

TEST_CASE("A value that does not fit is refused with a reason and leaves nothing on the stack") {
  Session s;
  CHECK(s.editor.set("deployment[1].scheduler.policy", "sarthi").contains(QStringLiteral("sarathi")));
  CHECK(s.editor.set("workload.rate", "8").contains(QStringLiteral("unit")));
  CHECK_FALSE(s.editor.set("nowhere", "8").isEmpty());
  CHECK(s.stack().count() == 0);
  CHECK(s.text() == test::hallText);
}

TEST_CASE("Values that a slider passes are one command, and back at the start there is none") {
  Session s;
  for (const char* rate : {"9 /s", "10 /s", "11 /s"}) REQUIRE(s.editor.set("workload.rate", rate, Merging::continuing).isEmpty());
  CHECK(s.stack().count() == 1);
  CHECK(s.stack().undoText().endsWith(QStringLiteral("11 /s")));
  REQUIRE(s.editor.set("seed", "8", Merging::continuing).isEmpty());
  CHECK(s.stack().count() == 2);
  REQUIRE(s.editor.set("seed", "7", Merging::continuing).isEmpty());
  CHECK(s.stack().count() == 1);
  REQUIRE(s.editor.set("workload.rate", "8 /s", Merging::continuing).isEmpty());
  CHECK(s.stack().count() == 0);
  CHECK(s.text() == test::hallText);
}

TEST_CASE("Setting what holds already is no command") {
  Session s;
  REQUIRE(s.editor.set("seed", "7").isEmpty());
  CHECK(s.stack().count() == 0);
}

TEST_CASE("An edit that takes back the one before it leaves no trace") {
  Session s;
  REQUIRE(s.editor.set("seed", "8").isEmpty());
  REQUIRE(s.editor.set("workload.rate", "9 /s").isEmpty());
  REQUIRE(s.editor.set("workload.rate", "8 /s").isEmpty());
  CHECK(s.stack().count() == 1);
  REQUIRE(s.editor.set("seed", "7").isEmpty());
  CHECK(s.stack().count() == 0);
  std::string added;
  REQUIRE(s.editor.duplicate("deployment[1]", added).isEmpty());
  REQUIRE(s.editor.unset(added).isEmpty());
  CHECK(s.stack().count() == 0);
  REQUIRE(s.editor.move("facility.racks[0]", 1).isEmpty());
  REQUIRE(s.editor.move("facility.racks[1]", 0).isEmpty());
  CHECK(s.stack().count() == 0);
  CHECK(s.text() == test::hallText);
  CHECK_FALSE(s.document.isModified());
}

TEST_CASE("What was saved in between can be gone back to") {
  const test::TemporaryFolder folder;
  Session s;
  REQUIRE(s.editor.set("seed", "8").isEmpty());
  REQUIRE(s.document.saveAs(QString::fromStdString((folder.path() / "s.yaml").string())).isEmpty());
  REQUIRE(s.editor.set("seed", "7").isEmpty());
  CHECK(s.document.isModified());
  s.stack().undo();
  CHECK(s.message().seed() == 8);
  CHECK_FALSE(s.document.isModified());
}

TEST_CASE("Typing merges within a line, and typing back vanishes") {
  Session s("name: a\n");
  for (const char* text : {"name: ab\n", "name: abc\n", "name: ab\n", "name: a\n"}) s.editor.type(text);
  CHECK(s.stack().count() == 0);
  for (const char* text : {"name: ab\n", "name: abc\n", "name: abcd\n"}) s.editor.type(text);
  CHECK(s.stack().count() == 1);
  CHECK(s.stack().undoText() == QStringLiteral("Typing"));
  s.editor.type("name: abcd\nseed: 1\n");
  CHECK(s.stack().count() == 2);
  s.stack().undo();
  for (const char* text : {"name: abc\n", "name: ab\n", "name: a\n"}) s.editor.type(text);
  CHECK(s.text() == "name: a\n");
  CHECK(s.stack().count() <= 2);
  while (s.stack().canUndo()) s.stack().undo();
  CHECK(s.text() == "name: a\n");
}

TEST_CASE("A new item has what it must have, under a free name") {
  Session s;
  std::string added;
  REQUIRE(s.editor.add("deployment", added).isEmpty());
  CHECK(added == "deployment[2]");
  REQUIRE(s.message().deployment_size() == 3);
  CHECK(s.message().deployment(2).pool() == "chat-2");
  CHECK(s.message().deployment(2).on() == "a");
  CHECK(s.message().deployment(2).model().preset() == "llama-3.1-8b");
  REQUIRE(s.editor.add("facility.racks", added).isEmpty());
  CHECK(s.message().facility().racks(2).rack().preset() == "hgx-h200-air");
  REQUIRE(s.editor.add("models", added).isEmpty());
  CHECK(added == "models.model");
  REQUIRE(s.editor.add("deployment[0].execution.decode_graph_sizes", added).isEmpty());
  CHECK(s.message().deployment(0).execution().decode_graph_sizes_size() == 1);
  CHECK_FALSE(s.document.current()->findings().has_errors());
  CHECK_FALSE(s.editor.add("seed", added).isEmpty());
  while (s.stack().canUndo()) s.stack().undo();
  CHECK(s.text() == test::hallText);
}

TEST_CASE("Items are duplicated under a free name, moved and removed") {
  Session s;
  std::string added;
  REQUIRE(s.editor.duplicate("deployment[1]", added).isEmpty());
  CHECK(added == "deployment[2]");
  CHECK(s.message().deployment(2).pool() == "long-2");
  CHECK(s.message().deployment(2).scheduler().token_budget() == 512);
  REQUIRE(s.editor.move("deployment[2]", 0).isEmpty());
  CHECK(s.message().deployment(0).pool() == "long-2");
  CHECK(s.stack().undoText() == QStringLiteral("Move deployment.long-2"));
  REQUIRE(s.editor.unset("deployment[0]").isEmpty());
  CHECK(s.stack().undoText() == QStringLiteral("Remove deployment.long-2"));
  CHECK(s.message().deployment_size() == 2);
  CHECK_FALSE(s.editor.duplicate("deployment", added).isEmpty());
  CHECK_FALSE(s.editor.move("deployment[0]", 2).isEmpty());
  while (s.stack().canUndo()) s.stack().undo();
  CHECK(s.text() == test::hallText);
}

TEST_CASE("Map entries get another name, and a group is given and taken back") {
  Session s;
  std::string added;
  REQUIRE(s.editor.add("models", added).isEmpty());
  REQUIRE(s.editor.rename(added, "mine").isEmpty());
  CHECK(s.message().models().contains("mine"));
  REQUIRE(s.editor.set("output", "{}").isEmpty());
  CHECK(s.message().has_output());
  REQUIRE(s.editor.unset("output").isEmpty());
  CHECK_FALSE(s.message().has_output());
}

TEST_CASE("Several edits are one command, and none of them stays when one does not fit") {
  Session s;
  const auto good = [](gui::ScenarioDraft& draft) { return draft.set("seed", "8") && draft.set("deployment[0].replicas", "2") && draft.remove("slo"); };
  REQUIRE(s.editor.compose(QStringLiteral("Three things"), good).isEmpty());
  CHECK(s.stack().count() == 1);
  CHECK(s.message().deployment(0).replicas() == 2);
  s.stack().undo();
  CHECK(s.text() == test::hallText);
  const auto bad = [](gui::ScenarioDraft& draft) { return draft.set("seed", "8") && draft.set("seed", "eight"); };
  CHECK_FALSE(s.editor.compose(QStringLiteral("Two things"), bad).isEmpty());
  CHECK(s.text() == test::hallText);
}
