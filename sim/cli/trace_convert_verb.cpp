#include "sim/cli/trace_convert_verb.h"

#include <CLI/CLI.hpp>
#include <cmath>

#include "sim/cli/console.h"
#include "sim/cli/option_values.h"
#include "traces/records/trace_report.h"
#include "traces/writers/canonical_writer.h"

namespace rackwright::cli {

void TraceConvertVerb::declare(CLI::App& app) {
  input_.declare(app);
  app.add_option("OUTPUT", output_, "the file to write: .csv or .jsonl, and .gz or .zst after it")
      ->required()
      ->option_text(" ");
  const auto add = [&](const char* name, auto& value, const char* what, const char* help) {
    app.add_option(name, value, help)->option_text(what)->group("Changes, in this order");
  };
  add("--spread-ticks", spread_ticks_, "TIME", "spread requests of one instant over the clock's tick, such as '1 s'");
  add("--seed", seed_, "N", "of the spreading");
  add("--from", from_, "TIME", "only requests from this time on, such as '10 min'");
  add("--to", to_, "TIME", "only requests before this time");
  add("--skip", skip_, "N", "leave out so many requests");
  add("--count", count_, "N", "keep so many");
  add("--scale-time", scale_time_, "FACTOR", "multiply times by this factor; 0.5 doubles the rate");
  add("--max-input-tokens", limits_.input_tokens, "N", "clip longer prompts");
  add("--max-output-tokens", limits_.output_tokens, "N", "clip longer answers");
  add("--max-total-tokens", limits_.total_tokens, "N", "clip longer sums, the prompt first");
}

ExitCode TraceConvertVerb::run(Console& console) {
  Diagnostics diagnostics;
  const auto form = traces::canonical_form(output_, diagnostics);
  const traces::TransformSpec spec = transforms(diagnostics);
  input_.forbid_output(output_, diagnostics);
  std::unique_ptr<traces::TraceSource> source = diagnostics.has_errors() ? nullptr : input_.open(diagnostics);
  console.show(diagnostics);
  if (!source || !form) return ExitCode::bad_input;

  const traces::TraceReport report = source->report();
  traces::RowCounts changes;
  const traces::Requests changed = traces::transform(std::move(source), spec, changes);
  const std::uint64_t written = traces::write_canonical(*changed, output_, *form);
  if (written == 0) {
    Diagnostics afterwards;
    afterwards.warning({output_}, {}, "no request of the log is left", "--from, --to, --skip or --count leave them all out");
    console.show(afterwards);
  }
  if (console.format() == Format::json) {
    console.out() << "{\"report\": " << traces::to_json(report) << ",\n\"changes\": " << traces::to_json(changes)
                  << ",\n\"requests_written\": " << written << "}\n";
    return ExitCode::ok;
  }
  console.out() << traces::to_text(report);
  console.out() << traces::to_text(changes);
  console.out() << output_ << ": " << written << " requests\n";
  return ExitCode::ok;
}

traces::TransformSpec TraceConvertVerb::transforms(Diagnostics& diagnostics) const {
  traces::TransformSpec spec;
  spec.dequantize_tick = time_option("--spread-ticks", spread_ticks_, diagnostics);
  spec.seed = seed_.value_or(0);
  spec.from = time_option("--from", from_, diagnostics).value_or(SimTime{});
  spec.to = time_option("--to", to_, diagnostics).value_or(SimTime::max());
  spec.skip = skip_;
  spec.count = count_;
  spec.time_scale = scale_time_;
  spec.limits = limits_;
  if (seed_ && !spec.dequantize_tick) diagnostics.warning({}, "--seed", "no effect: --seed, because nothing is drawn without --spread-ticks");
  if (count_ == 0) diagnostics.error({}, "--count", "at least 1 is kept");
  if (spec.from >= spec.to) diagnostics.error({}, "--to", "the slice is empty: --to is not after --from");
  if (spec.dequantize_tick == SimTime{}) diagnostics.error({}, "--spread-ticks", "a tick is longer than zero");
  if (!std::isfinite(scale_time_) || scale_time_ <= 0)
    diagnostics.error({}, "--scale-time", "the factor is a number above zero");
  const auto check_limit = [&](const char* option, const std::optional<std::int32_t>& limit, std::int32_t least) {
    if (limit && *limit < least) diagnostics.error({}, option, "the limit is at least " + std::to_string(least));
  };
  check_limit("--max-input-tokens", limits_.input_tokens, 1);
  check_limit("--max-output-tokens", limits_.output_tokens, 1);
  check_limit("--max-total-tokens", limits_.total_tokens, 2);
  return spec;
}

}  // namespace rackwright::cli
