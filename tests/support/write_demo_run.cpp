// write_demo_run FOLDER REQUESTS: a run folder of a made-up run (demo_run.h), to look at its report and to
// time what is written. Says how long each part took.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sim/metrics/run_log.h"
#include "sim/metrics/summary_collector.h"
#include "sim/metrics/timeline_collector.h"
#include "sim/report/html_report.h"
#include "tests/support/demo_run.h"

int main(int argc, char** argv) {
  using namespace rackwright;
  if (argc != 3) return 2;
  const test::DemoRun demo(std::atoi(argv[2]));
  auto before = std::chrono::steady_clock::now();
  const auto lap = [&](const char* what) {
    const auto now = std::chrono::steady_clock::now();
    std::fprintf(stderr, "%-24s %8.1f ms\n", what, std::chrono::duration<double>(now - before).count() * 1e3);
    before = now;
  };
  demo.report_to({});
  lap("the run alone");
  metrics::SummaryCollector summary(demo.description(), demo.layout());
  demo.report_to({&summary});
  lap("with the summary");
  metrics::TimelineCollector timeline(demo.description(), demo.layout());
  demo.report_to({&timeline});
  lap("with the timeline");
  results::RunFolderWriter writer(argv[1], results::ExistingFolder::replace, demo.description());
  metrics::RunLog log(writer, demo.description(), demo.layout());
  const metrics::RunEnd end = demo.report_to({&log});
  lap("with the log");
  const results::RunResults all{summary.summary(end, {}), timeline.timeline(end), summary.curves()};
  lap("summary and curves");
  const std::string report = report::html_report({demo.description(), all, ""});
  lap("report");
  writer.finish(all, report);
  lap("files");
}
