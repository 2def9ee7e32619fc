/// How much processor time reading, checking, editing and writing a large scenario file takes:
///   bench_codec [entries]      default: 10,000 devices and 10,000 pools
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

#include "scenarios/codec/codec.h"
#include "scenarios/codec/editable_text.h"
#include "scenarios/codec/no_effect.h"
#include "tests/support/sample.pb.h"

using namespace rackwright;
using scenarios::Format;

namespace {

std::string large_scenario(int entries) {
  std::string text = "schema: rackwright/sample/v1\nseed: 7\ndeployment:\n";
  for (int i = 0; i < entries; ++i) {
    text += fmt::format("  - {{pool: p{}, on: r{}, scheduler: {{policy: vllm-v1, token_budget: 8192}}, ids: [1, 2]}}  # pool {}\n", i, i, i);
  }
  text += "devices:\n";
  for (int i = 0; i < entries; ++i) {
    text += fmt::format("  d{}:\n    memory_bandwidth: 4.8 TB/s\n    idle_power: 75 W\n    peak: {{bf16: 989 TFLOP/s, fp8: 1979 TFLOP/s}}\n", i);
  }
  return text;
}

template <class Work>
void measure(const char* what, const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    work();
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  fmt::print("{:<28} {:8.1f} ms\n", what, best);
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string text = large_scenario(argc > 1 ? std::atoi(argv[1]) : 10000);
  fmt::print("{:.2f} MB of YAML; processor time, best of five\n", static_cast<double>(text.size()) / 1e6);
  const scenarios::SourceText source("s.yaml", text);
  Diagnostics diagnostics;
  measure("tree of the text", [&] { scenarios::read_yaml(source, diagnostics); });
  test::Sample sample;
  scenarios::SourceMap places = scenarios::read_message("s.yaml", text, Format::yaml, sample, diagnostics);
  measure("message of the text", [&] {
    test::Sample read;
    scenarios::read_message("s.yaml", text, Format::yaml, read, diagnostics);
  });
  measure("parameters without effect", [&] { scenarios::warn_of_no_effect(sample, places, diagnostics); });
  const auto editable = scenarios::EditableText::read(source, scenarios::Notation::yaml, *test::Sample::descriptor(), diagnostics);
  measure("edit of the last device", [&] { editable->set("devices.d9999.idle_power", "80 W", {}, diagnostics); });
  measure("move of the first pool", [&] { editable->move_item("deployment[0]", 9, {}, diagnostics); });
  measure("write YAML", [&] { scenarios::write_message(sample, Format::yaml); });
  std::string json = scenarios::write_message(sample, Format::json);
  measure("message of the JSON", [&] {
    test::Sample read;
    scenarios::read_message("s.json", json, Format::json, read, diagnostics);
  });
  for (const Diagnostic& diagnostic : diagnostics.all()) fmt::print("{}\n", to_string(diagnostic));
  return diagnostics.has_errors() ? 1 : 0;
}
