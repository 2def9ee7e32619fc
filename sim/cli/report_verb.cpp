#include "sim/cli/report_verb.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "scenarios/results/summary_json.h"
#include "sim/cli/console.h"
#include "sim/metrics/recovered_run.h"
#include "sim/report/html_report.h"
#include "sim/report/summary_table.h"

namespace rackwright::cli {

namespace fs = std::filesystem;

void ReportVerb::declare(CLI::App& app) {
  app.add_option("RUN", run_, "a run folder, a partial one, or a run.pb")->required()->option_text(" ");
  app.add_option("-o,--output", output_, "the file to write, .html (default: report.html in the folder)")
      ->option_text("FILE");
}

ExitCode ReportVerb::run(Console& console) {
  fs::path output = output_;
  if (output.empty())
    output = fs::is_directory(run_) ? fs::path(run_) / "report.html" : fs::path(run_).replace_extension(".html");
  if (output.extension() != ".html") {
    console.error("a report is not written as '" + output.extension().string() + "'", "give a file that ends in .html");
    return ExitCode::bad_input;
  }
  Diagnostics diagnostics;
  const auto run = metrics::recover_run(run_, diagnostics);
  console.show(diagnostics);
  if (!run) return ExitCode::bad_input;
  results::write_file(output, report::html_report({run->record.run, run->results, run->record.partial_reason}));
  if (console.format() == Format::json) {
    console.out() << results::to_json(run->results.summary);
  } else {
    console.out() << report::summary_table(run->record.run, run->results.summary, console.out_style())
                  << "\nReport       " << output.string() << '\n';
  }
  return ExitCode::ok;
}

}  // namespace rackwright::cli
