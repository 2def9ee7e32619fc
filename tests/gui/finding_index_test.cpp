#include "gui/item_models/finding_index.h"

#include "gui/document/message_at.h"
#include "gui/document/path_at.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;

TEST_CASE("A path by names and one by indices mean the same place, as far as it exists") {
  const gui::ScenarioSnapshot snapshot("t.yaml", test::hallText);
  const auto indexed = [&](const char* text) {
    std::string problem;
    return scenarios::to_string(gui::indexedPath(snapshot.message(), *scenarios::parse_path(text, problem)));
  };
  const auto named = [&](const char* text) {
    std::string problem;
    return scenarios::to_string(gui::namedPath(snapshot.message(), *scenarios::parse_path(text, problem)));
  };
  CHECK(indexed("facility.racks.b.rack.node.device") == "facility.racks[1].rack.node.device");
  CHECK(indexed("deployment.long.on") == "deployment[1].on");
  CHECK(indexed("deployment[0].on") == "deployment[0].on");
  CHECK(indexed("seed") == "seed");
  CHECK(named("deployment[1].scheduler.policy") == "deployment.long.scheduler.policy");
  CHECK(named("deployment[9].on") == "deployment[9].on");
}

TEST_CASE("What is said of a place keeps every finding") {
  gui::CheckResult result;
  result.snapshot = std::make_shared<const gui::ScenarioSnapshot>("t.yaml", test::hallText);
  result.findings = {{Severity::error, {}, "deployment.chat.on", "first", "a hint"}, {Severity::warning, {}, "deployment[0].on", "second", ""}};
  const gui::FindingIndex index(result);
  CHECK(index.text("deployment[0].on") == QStringLiteral("first (a hint)\nsecond"));
  CHECK(index.text("deployment[0]").isEmpty());
  CHECK(index.worst("deployment") == Severity::error);
  CHECK_FALSE(index.worst("deployment[1]").has_value());
  CHECK(result.errors() == 1);
  CHECK(result.warnings() == 1);
}

TEST_CASE("A finding without a path is about what stands at its line and column") {
  const gui::ScenarioSnapshot snapshot("t.yaml", test::hallText);
  const auto place = [&](int line, int column) { return gui::placeOf(snapshot, {Severity::warning, {"t.yaml", line, column}, "", "w", ""}); };
  CHECK(place(4, 1) == "seed");
  CHECK(place(5, 34) == "workload.generator");
  CHECK(place(17, 17) == "deployment[1].scheduler.policy");
  CHECK(place(16, 9) == "deployment[1].on");
  CHECK(place(0, 0) == "");
  CHECK(place(99, 1) == "");
  CHECK(gui::placeOf(snapshot, {Severity::error, {"t.yaml", 4, 1}, "deployment.long.on", "e", ""}) == "deployment[1].on");
}
