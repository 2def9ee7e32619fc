#include "sim/cli/trace_generate_verb.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "models/base/names.h"
#include "models/base/quantity.h"
#include "sim/cli/console.h"
#include "sim/cli/option_values.h"
#include "traces/generators/workloads.h"
#include "traces/writers/canonical_writer.h"

namespace rackwright::cli {
namespace {

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const traces::GeneratorSpec& workload : traces::workloads()) names.push_back(workload.name);
  return names;
}

}  // namespace

void TraceGenerateVerb::declare(CLI::App& app) {
  std::string known;
  for (const std::string& name : workload_names()) known += (known.empty() ? "" : ", ") + name;
  app.add_option("WORKLOAD", workload_, "one of " + known)->required()->option_text(" ");
  app.add_option("OUTPUT", output_, "the file to write: .csv or .jsonl, and .gz or .zst after it")
      ->required()
      ->option_text(" ");
  app.add_option("--rate", rate_, "mean rate of arrivals, such as '8 /s' (default: the workload's)")->option_text("RATE");
  app.add_option("--duration", duration_, "end after this long, such as '10 min'")->option_text("TIME");
  app.add_option("--count", count_, "end after so many requests")->option_text("N");
  app.add_option("--seed", seed_, "of every draw (default: 1)")->option_text("N");
}

ExitCode TraceGenerateVerb::run(Console& console) {
  Diagnostics diagnostics;
  const auto form = traces::canonical_form(output_, diagnostics);
  const auto spec = generator(diagnostics);
  console.show(diagnostics);
  if (diagnostics.has_errors()) return ExitCode::bad_input;
  const auto source = traces::make_generator(*spec, seed_);
  const std::uint64_t written = traces::write_canonical(*source, output_, *form);
  Diagnostics afterwards;
  if (written == 0) afterwards.warning({output_}, {}, "no request was drawn", "lengthen --duration, or raise --rate");
  else if (spec->count && !spec->duration && written < *spec->count)
    afterwards.warning({output_}, {}, "only " + std::to_string(written) + " requests come within the 106 days of simulated time", "raise --rate");
  console.show(afterwards);
  if (console.format() == Format::json) {
    console.out() << "{\"requests_written\": " << written << "}\n";
  } else {
    console.out() << output_ << ": " << written << " requests of " << spec->name << '\n';
  }
  return ExitCode::ok;
}

std::optional<traces::GeneratorSpec> TraceGenerateVerb::generator(Diagnostics& diagnostics) const {
  std::optional<traces::GeneratorSpec> spec = traces::find_workload(workload_);
  if (!spec) {
    diagnostics.error({}, "WORKLOAD", "'" + workload_ + "' is not a built-in workload",
                      name_hint(workload_, workload_names()));
    return std::nullopt;
  }
  spec->duration = time_option("--duration", duration_, diagnostics);
  spec->count = count_;
  if (count_ == 0u) diagnostics.error({}, "--count", "at least 1 is drawn");
  if (spec->duration == SimTime::max()) diagnostics.error({}, "--duration", "simulated time ends after 106 days", "shorten it");
  if (duration_.empty() && !count_) diagnostics.error({}, "--duration", "a trace has an end", "give --duration or --count");
  if (!rate_.empty()) {
    QuantityError error;
    if (const auto rate = parse_quantity(rate_, "1/s", error)) {
      spec->arrivals.rate_per_s = *rate;
    } else {
      diagnostics.error({}, "--rate", error.message, error.hint);
    }
  }
  traces::check_generator(*spec, workload_, diagnostics);
  return spec;
}

}  // namespace rackwright::cli
