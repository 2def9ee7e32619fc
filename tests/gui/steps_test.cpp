#include <QAbstractItemModelTester>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "gui/run/run_loader.h"
#include "gui/run/step_source.h"
#include "gui/run/step_table_model.h"
#include "scenarios/results/steps_writer.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;

namespace {

/// Instance 0 does `stretches` stretches back to back: stretch i is of 4 steps of 10 ms, decodes i % 50 sequences and is of
/// one prompt of 100 tokens where i % 10 = 0. Instance 1 does nothing.
struct Steps {
  explicit Steps(int stretches) {
    const auto path = folder.path() / "steps.pb";
    results::StepsWriter writer(path, 2);
    for (int i = 0; i < stretches; ++i) {
      results::StepStretch s;
      s.start = sim_time(0.04) * i;
      s.steps = 4;
      s.first = s.duration = sim_time(0.01);
      s.end = s.boundary(4);
      s.decode_sequences = i % 50;
      s.prefill_sequences = i % 10 == 0;
      s.prefill_tokens = 100 * s.prefill_sequences;
      writer.add(s);
    }
    writer.end();
    shared = std::make_shared<const results::StepsReader>(path, never);
  }

  test::TemporaryFolder folder;
  std::atomic<bool> never{false};
  gui::SharedSteps shared;
};

/// Asks until the cell was read.
QString cell(const gui::StepTableModel& model, int row, int column) {
  REQUIRE(QTest::qWaitFor([&] { return model.index(row, column).data().isValid(); }, 5000));
  return model.index(row, column).data().toString();
}

}  // namespace

TEST_CASE("Rows of steps are read when they are looked at, and only a few blocks stay") {
  const Steps steps(100'000);
  gui::StepTableModel model;  // Without a tester, which would look at rows of its own.
  model.setSteps(steps.shared, 0);
  REQUIRE(model.rowCount() == 100'000);
  CHECK_FALSE(model.index(70'000, 0).data().isValid());
  CHECK(cell(model, 70'000, 0) == QStringLiteral("2800.000000 s"));
  CHECK(cell(model, 70'000, 1) == QStringLiteral("prefill"));  // 70,000 % 50 = 0 sequences decode.
  CHECK(cell(model, 70'010, 1) == QStringLiteral("prefill and decode"));
  CHECK(cell(model, 70'011, 1) == QStringLiteral("decode"));
  CHECK(cell(model, 70'011, 2) == QStringLiteral("4"));
  CHECK(cell(model, 70'011, 8) == QStringLiteral("44"));  // 4 steps of 11 sequences.
  // A look at every block: what was read first is forgotten and comes again.
  for (int row = 0; row < 100'000; row += 512) cell(model, row, 0);
  CHECK_FALSE(model.index(0, 0).data().isValid());
  CHECK(cell(model, 0, 0) == QStringLiteral("0.000000 s"));
}

TEST_CASE("The row of an instant is that whose steps go on then") {
  const Steps steps(5'000);
  gui::StepTableModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setSteps(steps.shared, 0);
  const SimTime when = sim_time(0.04) * 3'333 + sim_time(0.015);
  const int first = model.rowNear(when);
  REQUIRE(first >= 0);
  cell(model, first, 0);
  CHECK(model.rowNear(when) == 3'333);
  CHECK(model.rowNear(sim_time(0.04) * 5'000) == -1);
}

TEST_CASE("An instance without steps, and a run without any, are empty tables") {
  const Steps steps(10);
  gui::StepTableModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  CHECK(model.rowCount() == 0);
  model.setSteps(steps.shared, 1);
  CHECK(model.rowCount() == 0);
  CHECK(model.rowNear({0}) == -1);
  model.setSteps(nullptr, 0);
  CHECK(model.rowCount() == 0);
}

TEST_CASE("Of windows that are asked for while one is read, the last is answered, with all its steps where they are few") {
  const Steps steps(20'000);
  gui::StepSource source;
  source.setSteps(steps.shared);
  std::vector<std::shared_ptr<const gui::StepWindow>> answers;
  QObject::connect(&source, &gui::StepSource::answered, [&](const auto& window) { answers.push_back(window); });
  for (int i = 1; i <= 50; ++i) source.ask(0, {0}, sim_time(0.04) * (i * 100), 500);
  source.ask(0, sim_time(4), sim_time(4.8), 500);
  REQUIRE(QTest::qWaitFor([&] { return answers.size() >= 2; }, 5000));
  QTest::qWait(50);
  CHECK(answers.size() == 2);
  const gui::StepWindow& last = *answers.back();
  CHECK(last.stretches.size() == 20);
  results::StepTotals all;
  for (const results::StepTotals& part : last.parts) all += part;
  CHECK(all.steps == 80);
  CHECK(answers.front()->parts.size() == 500);
}

TEST_CASE("A folder without steps says nothing of them, one with damaged steps says why") {
  const std::atomic<bool> never{false};
  const QString tiny = QStringLiteral(RACKWRIGHT_SOURCE_DIR "/tests/data/runs/tiny");
  const gui::LoadedRun without = gui::loadRun(tiny, never);
  CHECK_FALSE(without.steps);
  CHECK(without.stepsProblem.isEmpty());
  const test::TemporaryFolder folder;
  std::filesystem::copy(tiny.toStdString(), folder.path() / "run", std::filesystem::copy_options::recursive);
  std::ofstream(folder.path() / "run" / "steps.pb") << "no steps";
  const gui::LoadedRun damaged = gui::loadRun(QString::fromStdString((folder.path() / "run").string()), never);
  CHECK(damaged.problem.isEmpty());
  CHECK_FALSE(damaged.steps);
  CHECK_FALSE(damaged.stepsProblem.isEmpty());
}
