#include <QDir>
#include <QFile>

#include "gui/commands/dropped_file.h"
#include "gui/commands/scenario_draft.h"
#include "gui/commands/scenario_editor.h"
#include "gui/document/scenario_document.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using gui::DroppedKind;

namespace {

QString write(const test::TemporaryFolder& folder, const QString& name, const char* text) {
  const QString path = QDir(QString::fromStdString(folder.path().string())).filePath(name);
  QDir().mkpath(QFileInfo(path).absolutePath());
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(text);
  return path;
}

}  // namespace

TEST_CASE("A dropped file is told by its content") {
  const test::TemporaryFolder folder;
  CHECK(gui::kindOfDropped(write(folder, QStringLiteral("a.json"), "{\"schema\": \"rackwright/v1\"}")) == DroppedKind::scenario);
  CHECK(gui::kindOfDropped(write(folder, QStringLiteral("s.yaml"), "schema: rackwright/v1\n")) == DroppedKind::scenario);
  CHECK(gui::kindOfDropped(write(folder, QStringLiteral("config.json"), "{\"model_type\": \"qwen3\"}")) == DroppedKind::modelConfig);
  CHECK(gui::kindOfDropped(write(folder, QStringLiteral("log.csv"), "TIMESTAMP,ContextTokens\n")) == DroppedKind::trace);
  CHECK(gui::kindOfDropped(write(folder, QStringLiteral("p.xml"), "<platform version=\"4.1\"/>")) == DroppedKind::topology);
  CHECK(gui::kindOfDropped(write(folder, QStringLiteral("x.bin"), "\x01")) == DroppedKind::unknown);
  const QString stream = write(folder, QStringLiteral("r/run.pb"), "x");
  CHECK(gui::kindOfDropped(stream) == DroppedKind::run);
  CHECK(gui::kindOfDropped(QFileInfo(stream).absolutePath()) == DroppedKind::run);
  CHECK(gui::kindOfDropped(QStringLiteral("/nowhere")) == DroppedKind::unknown);
}

TEST_CASE("A trace takes the place of the generator, a configuration becomes a model, a topology the network") {
  const test::TemporaryFolder folder;
  const QString base = QString::fromStdString(folder.path().string());
  const QString trace = write(folder, QStringLiteral("logs/it's.csv"), "x\n");
  const QString config = write(folder, QStringLiteral("Qwen3-32B/config.json"), "{}");
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor(document);
  document.openText(QStringLiteral("t.yaml"), test::hallText);
  REQUIRE(editor.compose({}, [&](gui::ScenarioDraft& draft) { return gui::placeDropped(draft, DroppedKind::trace, trace, base); }).isEmpty());
  const v1::Workload& workload = document.current()->message().workload();
  CHECK(workload.trace().file() == "logs/it's.csv");
  CHECK_FALSE(workload.has_generator());
  CHECK_FALSE(workload.has_rate());
  REQUIRE(editor.compose({}, [&](gui::ScenarioDraft& draft) { return gui::placeDropped(draft, DroppedKind::modelConfig, config, {}); }).isEmpty());
  CHECK(document.current()->message().models().at("qwen3-32b").config() == config.toStdString());
  const QString wiring = write(folder, QStringLiteral("fabric.xml"), "<platform version='4.1'/>");
  REQUIRE(editor.compose({}, [&](gui::ScenarioDraft& draft) { return gui::placeDropped(draft, DroppedKind::topology, wiring, base); }).isEmpty());
  CHECK(document.current()->message().fabric().scale_out().file() == "fabric.xml");
}
