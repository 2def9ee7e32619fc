#include <string>

#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"
#include "sim/report/html_report.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace rackwright;

namespace {

results::RunResults gather(const test::DemoRun& demo) {
  metrics::SummaryCollector summary(demo.description(), demo.layout());
  metrics::TimelineCollector timeline(demo.description(), demo.layout());
  const metrics::RunEnd end = demo.report_to({&summary, &timeline});
  return {summary.summary(end, {"rack b: 1 of 2 power supplies is spare, so its budget is not checked against one failure"}),
          timeline.timeline(end), summary.curves()};
}

}  // namespace

TEST_CASE("A report needs nothing but itself") {
  const test::DemoRun demo(300);
  const std::string html = report::html_report({demo.description(), gather(demo), ""});
  for (const char* outside : {"http://", "https://", "<script", "<link", "<img", "url(", "@import"}) {
    CHECK(html.find(outside) == std::string::npos);
  }
}

TEST_CASE("A report escapes every name that comes from outside") {
  const test::DemoRun demo(50);
  auto run = demo.description();
  const std::string hostile = "</style><b onclick=\"x\">&";
  run.scenario = run.pools[0].name = run.pools[0].model = run.racks[0].name = run.inputs[0].path = hostile;
  run.trace_report = run.unverified_figures = {hostile};
  run.resolved_scenario = hostile;
  auto results = gather(demo);
  results.summary.warnings = {hostile};
  results.summary.pools[0].name = results.summary.it->racks[0].name = hostile;
  const std::string html = report::html_report({run, results, hostile});
  CHECK(html.find("<b onclick") == std::string::npos);
  CHECK(html.find("</style><b") == std::string::npos);
}

TEST_CASE("A report of a run without a single request says so") {
  const test::DemoRun demo(0);
  const std::string html = report::html_report({demo.description(), gather(demo), ""});
  CHECK(html.find("No request arrived.") != std::string::npos);
  CHECK(html.find("nan") == std::string::npos);
  CHECK(html.find("inf ") == std::string::npos);
}

TEST_CASE("A partial run is called partial at the top of its report") {
  const test::DemoRun demo(50);
  const std::string html = report::html_report({demo.description(), gather(demo), "request 7 waits for KV blocks"});
  CHECK(html.find("This run is partial.") < html.find("<section"));
}
