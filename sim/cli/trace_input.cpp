#include "sim/cli/trace_input.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "models/base/names.h"
#include "sim/cli/option_values.h"
#include "traces/formats/trace_format.h"

namespace rackwright::cli {
namespace {

template <class Choice>
void add_choice(CLI::App& app, const char* name, Choice& value, std::map<std::string, Choice> choices, const char* help) {
  std::string words;
  for (const auto& [word, choice] : choices) words += (words.empty() ? "" : "|") + word;
  app.add_option(name, value, help)
      ->transform(CLI::CheckedTransformer(std::move(choices)))
      ->option_text(words)
      ->group("Reading");
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const traces::TraceFormat* format : traces::trace_formats()) names.emplace_back(format->name);
  return names;
}

}  // namespace

void TraceInput::declare(CLI::App& app) {
  using namespace traces;
  app.add_option("FILE", file_, "a request log, plain or compressed by gzip or zstd")->required()->option_text(" ");
  std::string known;
  for (const std::string& name : format_names()) known += (known.empty() ? "" : ", ") + name;
  app.add_option("--as", options_.format, "read it as one of " + known + " (default: found from the content)")
      ->option_text("FORMAT")
      ->group("Reading");
  add_choice(app, "--zero-input", options_.zero_input, {{"drop", ZeroTokens::drop}, {"one", ZeroTokens::one}},
             "requests without input tokens: drop them or count one token");
  add_choice(app, "--zero-output", options_.zero_output, {{"drop", ZeroTokens::drop}, {"one", ZeroTokens::one}},
             "requests without output tokens: drop them or count one token");
  add_choice(app, "--duplicates", options_.duplicates, {{"keep", Duplicates::keep}, {"drop", Duplicates::drop}},
             "rows that repeat an earlier one");
  add_choice(app, "--cached-responses", options_.cached_responses,
             {{"drop", CachedResponses::drop}, {"keep", CachedResponses::keep}},
             "requests that a response cache answered");
  add_choice(app, "--failed", options_.failed_requests,
             {{"drop", FailedRequests::drop}, {"keep", FailedRequests::keep}}, "requests that the log calls failed");
  add_choice(app, "--dependents", options_.dependents,
             {{"after-parent", Dependents::after_parent}, {"by-clock", Dependents::by_clock}},
             "requests with a parent wait for it, or arrive when the log says");
  app.add_option("--clock-period", clock_period_, "the log's clock starts anew after this long, such as '1 d'")
      ->option_text("TIME")
      ->group("Reading");
}

void TraceInput::forbid_output(const std::string& output, Diagnostics& diagnostics) const {
  std::error_code none;
  if (std::filesystem::equivalent(file_, output, none)) diagnostics.error({}, "OUTPUT", "the log would be overwritten", "give another name");
}

std::unique_ptr<traces::TraceSource> TraceInput::open(Diagnostics& diagnostics) const {
  traces::TraceOptions options = options_;
  if (!options.format.empty() && !traces::find_trace_format(options.format)) {
    diagnostics.error({}, "--as", "'" + options.format + "' is not a format of request logs",
                      name_hint(options.format, format_names()));
  }
  options.clock_period = time_option("--clock-period", clock_period_, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return traces::open_trace(file_, options, diagnostics);
}

}  // namespace rackwright::cli
