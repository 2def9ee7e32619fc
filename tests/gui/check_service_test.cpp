#include <QSignalSpy>
#include <QTest>
#include <chrono>

#include "gui/commands/scenario_editor.h"
#include "gui/document/check_service.h"
#include "gui/document/scenario_document.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using namespace std::chrono_literals;
using gui::CheckService;

TEST_CASE("A change is checked a moment later, in another thread, and many changes once") {
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor(document);
  CheckService service(document, 30ms);
  QSignalSpy checked(&service, &CheckService::checked);
  QSignalSpy started(&service, &CheckService::started);
  document.openText(QStringLiteral("t.yaml"), test::hallText);
  REQUIRE(checked.wait(10000));
  REQUIRE(service.result());
  CHECK(service.result()->errors() == 0);
  REQUIRE(service.result()->pools.size() == 2);
  CHECK(service.result()->pools[0].instances == 8);
  CHECK(service.result()->resolved->deployment(0).scheduler().token_budget() == 8192);

  const auto before = started.size();
  for (const char* model : {"llama-3.1-70b", "llama-3.1-8b", "llama-3.1-405b"}) REQUIRE(editor.set("deployment[0].model", model).isEmpty());
  REQUIRE(checked.wait(10000));
  CHECK(started.size() == before + 1);
  CHECK(service.result()->errors() > 0);
  CHECK_FALSE(service.result()->resolved);
  CHECK(service.result()->snapshot == document.current());
}

TEST_CASE("The result of an outdated check is dropped") {
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor(document);
  CheckService service(document, 0ms);
  QSignalSpy checked(&service, &CheckService::checked);
  document.openText(QStringLiteral("t.yaml"), test::hallText);
  for (int seed = 100; seed < 140; ++seed) {
    REQUIRE(editor.set("seed", std::to_string(seed)).isEmpty());
    QTest::qWait(1);
    if (service.result()) CHECK(service.result()->snapshot->message().seed() <= seed);
  }
  CHECK(QTest::qWaitFor([&] { return service.result() && service.result()->snapshot == document.current(); }, 10000));
}

TEST_CASE("A closed document has no result, and a text without form has its errors") {
  gui::ScenarioDocument document;
  CheckService service(document, 0ms);
  QSignalSpy checked(&service, &CheckService::checked);
  document.openText(QStringLiteral("t.yaml"), "deployment: [");
  REQUIRE(checked.wait(10000));
  CHECK(service.result()->errors() >= 1);
  document.close();
  CHECK_FALSE(service.result());
}
