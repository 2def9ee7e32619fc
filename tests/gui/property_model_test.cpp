#include "gui/item_models/property_model.h"

#include <QAbstractItemModelTester>
#include <QFont>

#include "gui/document/scenario_document.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/library/scenario_library.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::PropertyItem;
using gui::PropertyModel;
using gui::PropertyOrigin;

namespace {

struct Fixture {
  Fixture() { document.openText(QStringLiteral("t.yaml"), test::hallText); }
  const PropertyItem& item(const std::string& path) const {
    const QModelIndex index = model.indexOfPath(path);
    INFO(path);
    REQUIRE(index.isValid());
    return *model.contentAt(index);
  }
  QModelIndex value(const std::string& path) const { return model.indexOfPath(path).siblingAtColumn(PropertyModel::ValueColumn); }
  QString shown(const std::string& path) const { return value(path).data().toString(); }
  QString origin(const std::string& path) const { return model.indexOfPath(path).siblingAtColumn(PropertyModel::OriginColumn).data().toString(); }

  scenarios::Catalog catalog;
  gui::ScenarioDocument document;
  gui::ScenarioEditor editor{document};
  PropertyModel model{editor, catalog};
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

}  // namespace

TEST_CASE("A group shows every parameter: given as written, else the default") {
  Fixture f;
  f.model.setPath("deployment[1]");
  CHECK(f.shown("deployment[1].pool") == QStringLiteral("long"));
  CHECK(f.shown("deployment[1].scheduler.policy") == QStringLiteral("sarathi"));
  CHECK(f.item("deployment[1].scheduler.policy").origin == PropertyOrigin::file);
  CHECK(f.shown("deployment[1].tensor_parallel") == QStringLiteral("1"));
  CHECK(f.origin("deployment[1].tensor_parallel") == QStringLiteral("default"));
  CHECK(f.shown("deployment[1].kv_cache.block_tokens") == QStringLiteral("16"));
  CHECK(f.shown("deployment[1].execution.host_time_per_step") == QStringLiteral("0 s"));
  CHECK_FALSE(f.item("deployment[1].execution").given);
  f.model.setPath("workload");
  CHECK(f.shown("workload.duration") == QStringLiteral("1 min"));
  CHECK(f.shown("workload.generator.workload") == QStringLiteral("azure-conversation-2023"));
}

TEST_CASE("Values of presets are visible, and what overrides one is bold") {
  Fixture f;
  f.model.setPath("facility.racks[1]");
  CHECK_FALSE(f.item("facility.racks[1].rack.power_budget").overrides);  // The preset has no budget.
  REQUIRE(f.model.setData(f.value("facility.racks[1].rack.nodes"), QStringLiteral("2")));
  const PropertyItem& nodes = f.item("facility.racks[1].rack.nodes");
  CHECK(nodes.overrides);
  CHECK(nodes.fallback == QStringLiteral("1"));
  CHECK(f.value(nodes.path).data(Qt::FontRole).value<QFont>().bold());
  CHECK(f.origin(nodes.path) == QStringLiteral("overrides hgx-h200-air"));
  const PropertyItem& bandwidth = f.item("facility.racks[1].rack.node.device.memory.bandwidth");
  CHECK_FALSE(bandwidth.given);
  CHECK(bandwidth.origin == PropertyOrigin::preset);
  CHECK(f.shown(bandwidth.path) == QStringLiteral("4.8 TB/s"));
  REQUIRE(f.model.setData(f.value(bandwidth.path), QStringLiteral("5 TB/s")));
  CHECK(f.item("facility.racks[1].rack.node.device.memory.bandwidth").overrides);
  CHECK(f.document.current()->message().facility().racks(1).rack().node().device().memory().bandwidth() == 5e12);
}

TEST_CASE("A cell that is written is a command, an empty one takes the value out, a bad one is refused with a reason") {
  Fixture f;
  f.model.setPath("workload");
  QStringList refusals;
  QObject::connect(&f.model, &PropertyModel::refused, [&](const QString& path, const QString& problem) { refusals << path + QStringLiteral(": ") + problem; });
  REQUIRE(f.model.setData(f.value("workload.rate"), QStringLiteral(" 12 /s ")));
  CHECK(f.document.current()->message().workload().rate() == 12);
  CHECK(f.document.undoStack().count() == 1);
  REQUIRE(f.model.setData(f.value("workload.duration"), QString()));
  CHECK_FALSE(f.document.current()->message().workload().has_duration());
  CHECK_FALSE(f.model.setData(f.value("workload.rate"), QStringLiteral("12 kW")));
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].startsWith(QStringLiteral("workload.rate: ")));
  CHECK(f.model.problemOf(f.value("workload.rate"), QStringLiteral("12")).contains(QStringLiteral("unit")));
  CHECK(f.model.problemOf(f.value("workload.rate"), QStringLiteral("12 /s")).isEmpty());
  f.document.undoStack().undo();
  f.document.undoStack().undo();
  CHECK(f.document.current()->text() == test::hallText);
}

TEST_CASE("A slider is one command") {
  Fixture f;
  f.model.setPath("deployment[0]");
  for (const char* fraction : {"0.85", "0.8", "0.7"}) REQUIRE(f.model.slide(f.value("deployment[0].kv_cache.memory_fraction"), QLatin1String(fraction)));
  CHECK(f.document.undoStack().count() == 1);
  f.document.undoStack().undo();
  CHECK(f.document.current()->text() == test::hallText);
}

TEST_CASE("What has no effect says why, and what the check derived is shown as such") {
  Fixture f;
  f.model.setPath("deployment[1]");
  CHECK(f.item("deployment[1].scheduler.chunked_prefill").noEffect == QStringLiteral("policy is sarathi"));
  CHECK(f.item("deployment[1].scheduler.token_budget").noEffect.isEmpty());
  f.model.setPath("deployment[0]");
  CHECK(f.item("deployment[0].replicas").fallback.isEmpty());
  f.model.setChecked(gui::check(f.document.current()));
  CHECK(f.shown("deployment[0].replicas") == QStringLiteral("8"));
  CHECK(f.origin("deployment[0].replicas") == QStringLiteral("derived"));
}

TEST_CASE("Lists, maps and entries stand below their field; keys can be renamed") {
  Fixture f;
  REQUIRE(f.editor.set("workload.generator.input_tokens", "{p0: 2, p50: 100, p100: 900}").isEmpty() == false);
  REQUIRE(f.editor.set("workload.generator.input_tokens.quantiles", "{p0: 2, p50: 100, p100: 900}").isEmpty());
  f.model.setPath("workload.generator");
  CHECK(f.shown("workload.generator.input_tokens.quantiles.p50") == QStringLiteral("100"));
  REQUIRE(f.model.setData(f.value("workload.generator.input_tokens.quantiles.p50"), QStringLiteral("120")));
  REQUIRE(f.model.setData(f.model.indexOfPath("workload.generator.input_tokens.quantiles.p50"), QStringLiteral("p60")));
  CHECK(f.document.current()->message().workload().generator().input_tokens().quantiles().at("p60") == 120);
  f.model.setPath("deployment[0]");
  REQUIRE(f.model.setData(f.value("deployment[0].execution.decode_graph_sizes"), QStringLiteral("[1, 2, 4]")));
  CHECK(f.shown("deployment[0].execution.decode_graph_sizes") == QStringLiteral("[1, 2, 4]"));
  f.model.setPath("facility.racks");
  REQUIRE(f.model.rowCount() == 2);
  CHECK(f.item("facility.racks[1]").name == QStringLiteral("b"));
  CHECK(f.item("facility.racks[1]").kind == gui::PropertyKind::item);
}

TEST_CASE("Every place of every library scenario has rows that say what they are about") {
  for (const scenarios::LibraryScenario& scenario : scenarios::library_scenarios()) {
    Fixture f;
    f.document.openText(QStringLiteral("t.yaml"), std::string(scenario.text));
    for (const char* path : {"", "workload", "facility", "facility.racks", "facility.racks[0]", "deployment", "deployment[0]", "slo", "limits", "models"}) {
      f.model.setPath(path);
      INFO(scenario.path << " at " << path);
      CHECK((f.model.rowCount() > 0 || std::string(path) == "models"));
      for (int row = 0; row < f.model.rowCount(); ++row) {
        for (int column = 0; column < PropertyModel::ColumnCount; ++column) {
          const QModelIndex index = f.model.index(row, column);
          CHECK(index.data(Qt::ToolTipRole).toString().contains(QStringLiteral("<b>")));
        }
      }
    }
  }
}

TEST_CASE("Nothing can be written while the text has no form") {
  Fixture f;
  f.model.setPath("workload");
  f.editor.type(test::hallText + "routing: {");
  CHECK_FALSE(f.model.flags(f.value("workload.rate")).testFlag(Qt::ItemIsEditable));
  CHECK_FALSE(f.model.setData(f.value("workload.rate"), QStringLiteral("9 /s")));
}
