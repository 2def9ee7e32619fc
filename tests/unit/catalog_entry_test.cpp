#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "scenarios/codec/catalog_entry.h"
#include "scenarios/schema/hardware.pb.h"
#include "tests/support/catch.h"
#include "tests/support/sample_reading.h"

using namespace rackwright;
using namespace rackwright::scenarios;

namespace {

FigureSources two_sources() {
  Diagnostics diagnostics;
  return read_figure_sources("sources.yaml", "stas: {title: Tables, confidence: sourced}\nmemory: {title: None, confidence: memory}\n",
                             diagnostics);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("Sources have a title and a confidence") {
  const FigureSources sources = two_sources();
  CHECK(sources.at("stas").title == "Tables");
  CHECK(sources.at("memory").confidence == "memory");
  Diagnostics diagnostics;
  read_figure_sources("sources.yaml", "a: {title: x, confidence: sure}\nb: {confidence: listed}\n", diagnostics);
  CHECK(tests::text_of(diagnostics) ==
        "sources.yaml:1:27: error: a.confidence: unknown confidence 'sure' (known: sourced, listed, derived, memory)\n"
        "sources.yaml:2:4: error: b: 'title' is missing (What it is and where it stands)\n");
}

TEST_CASE("A mark behind a value names its source and is no part of the value") {
  test::Device device;
  Diagnostics diagnostics;
  const FigureMarks marks = read_catalog_entry(
      "d.yaml", "preset: \"a @b\"\nmemory_bandwidth: 4.8 TB/s @stas\nidle_power: 75 W\npeak: {bf16: 989 TFLOP/s  @memory, fp8: 2 PFLOP/s @stsa}\n",
      two_sources(), device, diagnostics);
  CHECK(device.preset() == "a @b");
  CHECK(device.memory_bandwidth() == 4.8e12);
  CHECK(marks.sources.at("memory_bandwidth") == "stas");
  CHECK(marks.sources.at("peak.bf16") == "memory");
  CHECK(marks.unmarked == std::vector<std::string>{"idle_power"});
  CHECK(tests::text_of(diagnostics) == "d.yaml:4:41: error: peak.fp8: there is no source 'stsa' (did you mean 'stas'?)\n");
}

TEST_CASE("Every entry of the hardware catalog is read without a finding, and every quantity has a source") {
  const std::filesystem::path catalog = std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "models/hardware/catalog";
  Diagnostics diagnostics;
  const FigureSources sources = read_figure_sources("sources.yaml", bytes_of(catalog / "sources.yaml"), diagnostics);
  const v1::Device device;
  const v1::Host host;
  const v1::Nic nic;
  const v1::Node node;
  const v1::Rack rack;
  const v1::Switch network_switch;
  const std::pair<const char*, const google::protobuf::Message*> kinds[] = {
      {"devices", &device}, {"hosts", &host}, {"nics", &nic}, {"nodes", &node}, {"racks", &rack}, {"switches", &network_switch}};
  int entries = 0;
  for (const auto& [folder, prototype] : kinds) {
    for (const auto& file : std::filesystem::directory_iterator(catalog / folder)) {
      const std::unique_ptr<google::protobuf::Message> message(prototype->New());
      const FigureMarks marks = read_catalog_entry(file.path().filename().string(), bytes_of(file.path()), sources, *message, diagnostics);
      for (const std::string& path : marks.unmarked) FAIL_CHECK(file.path().filename().string() << ": " << path << " has no source");
      ++entries;
    }
  }
  CHECK(tests::text_of(diagnostics).empty());
  CHECK(entries > 50);
}
