#include <QAbstractItemModelTester>
#include <QTest>

#include "gui/run/request_table_model.h"
#include "tests/gui/support/gui_text.h"

using namespace rackwright;
using gui::RequestTableModel;

namespace {

results::RunDescription twoPools() {
  results::RunDescription run;
  run.pools.resize(2);
  run.pools[0].name = "chat";
  run.pools[1].name = "code";
  run.classes = {{"", {}}, {"batch", {}}};
  return run;
}

/// Request i arrives at i seconds, waits i ms, answers in (n − i) ms and decodes i % 7 + 1 tokens at 10 ms each.
/// Every tenth is rejected.
gui::SharedRequests requests(int n) {
  auto rows = std::make_shared<std::vector<results::RequestOutcome>>();
  for (int i = 0; i < n; ++i) {
    results::RequestOutcome r;
    r.id = static_cast<std::uint64_t>(i);
    r.pool = static_cast<std::uint32_t>(i % 2);
    r.request_class = static_cast<std::uint32_t>(i % 3 == 0);
    r.arrival = sim_time(i);
    r.input_tokens = 10 + i;
    if (i % 10 == 9) {
      r.outcome = results::Outcome::rejected;
    } else {
      r.scheduled = r.arrival + sim_time(0.001 * i);
      r.first_token = r.scheduled + sim_time(0.001 * (n - i));
      r.output_tokens = i % 7 + 1;
      r.last_token = r.first_token + sim_time(0.010) * (r.output_tokens - 1);
    }
    rows->push_back(r);
  }
  return rows;
}

struct Fixture {
  explicit Fixture(int n) {
    model.setRun(twoPools(), requests(n));
    settle();
  }
  void settle() { REQUIRE(QTest::qWaitFor([&] { return !model.isSorting(); }, 20000)); }
  int column(const char* name) const {
    for (std::size_t i = 0; i < model.columns().size(); ++i) {
      if (model.columns()[i].name == QLatin1String(name)) return static_cast<int>(i);
    }
    FAIL("no column " << name);
    return -1;
  }
  RequestTableModel model;
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

}  // namespace

TEST_CASE("Requests sort by any column, those without a value last either way") {
  Fixture f(40);
  f.model.sort(f.column("queue"), Qt::DescendingOrder);
  f.settle();
  REQUIRE(f.model.rowCount() == 40);
  CHECK(f.model.requestAt(0)->id == 38);
  CHECK(f.model.requestAt(39)->outcome == results::Outcome::rejected);
  CHECK(f.model.index(39, f.column("queue")).data() == QStringLiteral("—"));
  f.model.sort(f.column("queue"), Qt::AscendingOrder);
  f.settle();
  CHECK(f.model.requestAt(0)->id == 0);
  CHECK(f.model.requestAt(39)->outcome == results::Outcome::rejected);
  CHECK(f.model.rowOf(38) == 35);
}

TEST_CASE("A filter keeps the rows for which every term holds, with units, names and ids") {
  Fixture f(40);
  const auto kept = [&](const char* filter) {
    INFO(filter);
    REQUIRE(f.model.setFilter(QLatin1String(filter)).isEmpty());
    f.settle();
    return f.model.rowCount();
  };
  CHECK(kept("outcome=rejected") == 4);
  CHECK(kept("rejected") == 4);
  CHECK(kept("pool=code") == 20);
  CHECK(kept("pool=code outcome!=rejected") == 16);
  CHECK(kept("ttft>=40ms") == 36);  // Queue and prefill together are n ms for every request that answered.
  CHECK(kept("queue > 30 ms") == 8);  // 31 to 38; 39 is rejected.
  CHECK(kept("queue>0.030") == 8);
  CHECK(kept("output=7") == 5);  // i % 7 = 6: 6, 13, 20, 27, 34.
  CHECK(kept("class=batch arrival<10") == 4);
  CHECK(kept("17") == 1);
  CHECK(kept("pool=code 17") == 1);
  CHECK(kept("input>1000") == 0);
  CHECK(kept("") == 40);
}

TEST_CASE("A filter that means nothing is refused with a reason and leaves the rows") {
  Fixture f(40);
  CHECK(f.model.setFilter(QStringLiteral("tftt>1")).contains(QStringLiteral("tftt")));
  CHECK(f.model.setFilter(QStringLiteral("ttft>much")).contains(QStringLiteral("number")));
  CHECK(f.model.setFilter(QStringLiteral("outcome=done")).contains(QStringLiteral("done")));
  f.settle();
  CHECK(f.model.rowCount() == 40);
}

TEST_CASE("A run without requests is an empty table") {
  Fixture f(0);
  CHECK(f.model.rowCount() == 0);
  CHECK(f.model.columnCount() > 10);
}

TEST_CASE("A hundred thousand rows sort while the window stays alive") {
  Fixture f(100000);
  int turns = 0;
  f.model.sort(f.column("e2e"), Qt::DescendingOrder);
  while (f.model.isSorting()) {
    QTest::qWait(1);
    ++turns;
  }
  CHECK(f.model.rowCount() == 100000);
  CHECK(f.model.requestAt(0)->e2e() >= f.model.requestAt(1)->e2e());
  CHECK(turns > 0);
}
