#include <QFile>
#include <QSignalSpy>

#include "gui/commands/scenario_editor.h"
#include "gui/document/scenario_document.h"
#include "gui/document/text_difference.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using gui::DocumentChange;
using gui::ScenarioDocument;
using gui::ScenarioEditor;

namespace {

QString writeFile(const test::TemporaryFolder& folder, const char* name, const std::string& text) {
  const QString path = QString::fromStdString((folder.path() / name).string());
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(text.data(), static_cast<qint64>(text.size()));
  return path;
}

std::string bytesOf(const QString& path) {
  std::string bytes;
  REQUIRE(gui::readBytes(path, bytes).isEmpty());
  return bytes;
}

}  // namespace

TEST_CASE("A document that was opened and saved has the bytes of its file") {
  const test::TemporaryFolder folder;
  for (const std::string& text : {test::hallText, std::string("schema: rackwright/v1\r\nname: \"\xc3\xa9\"\r\n"), std::string("a: [")}) {
    const QString file = writeFile(folder, "s.yaml", text);
    ScenarioDocument document;
    REQUIRE(document.open(file).isEmpty());
    CHECK_FALSE(document.isModified());
    REQUIRE(document.save().isEmpty());
    CHECK(bytesOf(file) == text);
  }
}

TEST_CASE("What cannot be opened leaves the document as it was") {
  const test::TemporaryFolder folder;
  ScenarioDocument document;
  document.openText(QStringLiteral("t.yaml"), "name: kept\n");
  CHECK(document.open(QStringLiteral("/nowhere/s.yaml")).contains(QStringLiteral("cannot be opened")));
  CHECK(document.open(writeFile(folder, "binary.yaml", "\xff\xfe name")).contains(QStringLiteral("not UTF-8")));
  CHECK(document.current()->text() == "name: kept\n");
}

TEST_CASE("A document is modified exactly while its bytes differ from those saved") {
  const test::TemporaryFolder folder;
  ScenarioDocument document;
  ScenarioEditor editor(document);
  REQUIRE(document.open(writeFile(folder, "s.yaml", test::hallText)).isEmpty());
  QSignalSpy told(&document, &ScenarioDocument::modifiedChanged);
  REQUIRE(editor.set("seed", "8").isEmpty());
  CHECK(document.isModified());
  REQUIRE(editor.set("seed", "9").isEmpty());
  REQUIRE(editor.set("seed", "7").isEmpty());
  CHECK_FALSE(document.isModified());
  CHECK(told.size() == 2);
  REQUIRE(editor.set("seed", "8").isEmpty());
  REQUIRE(document.save().isEmpty());
  CHECK_FALSE(document.isModified());
  document.undoStack().undo();
  CHECK(document.isModified());
}

TEST_CASE("Saving under another name makes that the document's file") {
  const test::TemporaryFolder folder;
  ScenarioDocument document;
  document.openText(QStringLiteral("t.yaml"), "name: x\n");
  CHECK_FALSE(document.hasFile());
  const QString file = QString::fromStdString((folder.path() / "new.yaml").string());
  REQUIRE(document.saveAs(file).isEmpty());
  CHECK(document.file() == file);
  CHECK(document.title() == QStringLiteral("new.yaml"));
  CHECK(document.current()->file() == file.toStdString());
  CHECK(bytesOf(file) == "name: x\n");
  CHECK(document.saveAs(QStringLiteral("/nowhere/x.yaml")).contains(QStringLiteral("cannot be written")));
}

TEST_CASE("Revert takes the file's bytes and can itself be undone") {
  const test::TemporaryFolder folder;
  ScenarioDocument document;
  ScenarioEditor editor(document);
  REQUIRE(document.open(writeFile(folder, "s.yaml", test::hallText)).isEmpty());
  REQUIRE(editor.set("seed", "8").isEmpty());
  const std::string edited = document.current()->text();
  REQUIRE(document.revert().isEmpty());
  CHECK(document.current()->text() == test::hallText);
  CHECK_FALSE(document.isModified());
  document.undoStack().undo();
  CHECK(document.current()->text() == edited);
}

TEST_CASE("While the text has no form, the last readable version stays and edits by path say so") {
  ScenarioDocument document;
  ScenarioEditor editor(document);
  document.openText(QStringLiteral("t.yaml"), test::hallText);
  const gui::SharedSnapshot before = document.current();
  editor.type(test::hallText + "routing: {");
  CHECK_FALSE(document.current()->isWellFormed());
  CHECK(document.readable() == before);
  CHECK(document.current()->findings().has_errors());
  CHECK(editor.set("seed", "8").contains(QStringLiteral("error in its form")));
  document.undoStack().undo();
  CHECK(document.readable() == document.current());
}

TEST_CASE("Textproto opens as YAML without a file") {
  const test::TemporaryFolder folder;
  ScenarioDocument document;
  REQUIRE(document.open(writeFile(folder, "s.textproto", "schema: \"rackwright/v1\" workload {rate: 2 generator {workload: \"azure-code-2023\"}} "
                                                         "facility {racks {name: \"a\" rack {preset: \"hgx-h200-air\"}}} "
                                                         "deployment {pool: \"p\" model {preset: \"llama-3.1-8b\"} on: \"a\"}"))
              .isEmpty());
  CHECK_FALSE(document.hasFile());
  CHECK(document.title() == QStringLiteral("s.yaml"));
  CHECK(document.current()->message().deployment(0).pool() == "p");
}

TEST_CASE("Changes say what they were about") {
  ScenarioDocument document;
  ScenarioEditor editor(document);
  std::vector<DocumentChange> changes;
  QObject::connect(&document, &ScenarioDocument::changed, [&](const DocumentChange& change) { changes.push_back(change); });
  document.openText(QStringLiteral("t.yaml"), test::hallText);
  REQUIRE(editor.set("seed", "8").isEmpty());
  std::string added;
  REQUIRE(editor.add("deployment", added).isEmpty());
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].kind == DocumentChange::Kind::loaded);
  CHECK(changes[1].kind == DocumentChange::Kind::value);
  CHECK(changes[1].path == "seed");
  CHECK(changes[1].edit->replacement == "8");
  CHECK(changes[2].kind == DocumentChange::Kind::structure);
  CHECK(changes[2].path == "deployment");
}

TEST_CASE("The difference of two texts leads from one to the other and never cuts a character") {
  const std::vector<std::string> texts = {"", "a", "ab", "aab", "\xc3\xa9", "\xc3\xa8", "x\xe2\x82\xac", "x\xe2\x82\xadz", "aa\xc3\xa9", "aa\xc3\xa9\xc3\xa9"};
  for (const std::string& before : texts) {
    for (const std::string& after : texts) {
      const auto edit = gui::difference(before, after);
      CHECK(edit.has_value() == (before != after));
      if (!edit) continue;
      CHECK(scenarios::apply_edits(before, {*edit}) == after);
      const auto continues = [](const std::string& s, std::size_t i) { return i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80; };
      CHECK_FALSE(continues(before, edit->offset));
      CHECK_FALSE(continues(before, edit->offset + edit->length));
    }
  }
}
