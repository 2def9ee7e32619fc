#include <QDir>
#include <QFile>

#include "gui/commands/scenario_editor.h"
#include "gui/document/autosave.h"
#include "gui/document/scenario_document.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using gui::RecoveryStore;

namespace {

QString nameOf(const test::TemporaryFolder& folder) { return QString::fromStdString(folder.path().string()); }

/// What a session that was killed leaves: its entry, and a lock of a process that is gone.
void leaveBehind(const test::TemporaryFolder& folder, const std::string& text) {
  {
    RecoveryStore store(nameOf(folder));
    REQUIRE(store.write(QStringLiteral("/a/s.yaml"), QStringLiteral("s.yaml"), text).isEmpty());
  }  // The lock is given back, the entry stays.
}

}  // namespace

TEST_CASE("Unsaved changes of a session that ended badly are found, restored as unsaved and discarded") {
  const test::TemporaryFolder folder;
  leaveBehind(folder, "name: \xc3\xa9\r\n");
  const RecoveryStore store(nameOf(folder));
  const std::vector<gui::RecoveredText> found = store.leftovers();
  REQUIRE(found.size() == 1);
  CHECK(found[0].file == QStringLiteral("/a/s.yaml"));
  CHECK(found[0].text == "name: \xc3\xa9\r\n");
  gui::ScenarioDocument document;
  document.recover(found[0].file, found[0].title, found[0].text);
  CHECK(document.isModified());
  store.discard(found[0].entry);
  CHECK(store.leftovers().empty());
}

TEST_CASE("The entry of an editor that still runs is left alone") {
  const test::TemporaryFolder folder;
  const RecoveryStore running(nameOf(folder));
  REQUIRE(running.write({}, QStringLiteral("t"), "name: x\n").isEmpty());
  const RecoveryStore other(nameOf(folder));
  CHECK(other.leftovers().empty());
  CHECK(running.leftovers().empty());
}

TEST_CASE("Changes are kept a moment after they were made, and forgotten once the text is as saved") {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder scenarios;
  const auto store = std::make_shared<const RecoveryStore>(nameOf(folder));
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor(document);
  document.openText(QStringLiteral("t.yaml"), test::hallText);
  gui::Autosave autosave(document, store);
  const auto entries = [&] { return QDir(nameOf(folder)).entryList({QStringLiteral("*.json")}).size(); };
  REQUIRE(editor.set("seed", "8").isEmpty());
  autosave.flush();
  CHECK(entries() == 1);
  document.undoStack().undo();
  autosave.flush();
  CHECK(entries() == 0);
  document.undoStack().redo();
  autosave.flush();
  CHECK(entries() == 1);
  REQUIRE(document.saveAs(QString::fromStdString((scenarios.path() / "s.yaml").string())).isEmpty());
  autosave.flush();
  CHECK(entries() == 0);
}
