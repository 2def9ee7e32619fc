#include "scenarios/codec/merge.h"
#include "scenarios/codec/no_effect.h"
#include "tests/support/catch.h"
#include "tests/support/sample_reading.h"

using namespace rackwright;
using scenarios::Format;

namespace {

test::Sample read(const std::string& text, Format format = Format::yaml) {
  test::Sample sample;
  Diagnostics diagnostics;
  scenarios::read_message("s", text, format, sample, diagnostics);
  INFO(tests::text_of(diagnostics));
  REQUIRE(diagnostics.all().empty());
  return sample;
}

const std::string mixed = R"(schema: rackwright/sample/v1
name: GPU prefill, SRAM decode
duration: 600 s
deployment:
  - pool: prefill
    on: gpu[0..31]
    device: {preset: h200-sxm, memory_bandwidth: 4.8 TB/s, efficiency: 0.8, peak: {fp8: 1.979 PFLOP/s}}
    scheduler: {policy: vllm-v1, token_budget: 8192}
  - {pool: decode, on: lpu, device: lp30, scheduler: sarathi, ids: [1, 2], labels: [x, "7"]}
aliases: {gpt-4o-mini: chat}
notes: ["true", "a: b", "# no comment"]
)";

}  // namespace

TEST_CASE("A message is written as a person would write it: units, short groups in a line, shorthands bare") {
  CHECK(scenarios::write_message(read(mixed), Format::yaml) == mixed);
}

TEST_CASE("JSON is written with quantities as texts and read back by the same rules") {
  const std::string json = scenarios::write_message(read(mixed), Format::json);
  CHECK(json.find("\"duration\": \"600 s\"") != std::string::npos);
  CHECK(json.find("\"token_budget\": 8192") != std::string::npos);
  CHECK(json.find("\"efficiency\": 0.8") != std::string::npos);
  CHECK(read(json, Format::json).SerializeAsString() == read(mixed).SerializeAsString());
}

TEST_CASE("JSON of other programs is read: escapes, surrogate pairs, tabs, null, one line or many") {
  const test::Sample sample = read("{\"schema\":\"rackwright\\/sample\\/v1\",\"name\":\"\\u00e9 \\ud83d\\ude00 \\\\ud83d \\\"\\n\",\n"
                                   "\t\"seed\":null,\t\"deployment\":[{\"pool\":\"a\",\"on\":\"gpu[0..3]\"}],\"notes\":[]}",
                                   Format::json);
  CHECK(sample.name() == "\u00e9 \U0001F600 \\ud83d \"\n");
  CHECK_FALSE(sample.has_seed());
  CHECK(sample.deployment(0).on() == "gpu[0..3]");
  // The second line is found behind the joined pair: 12 bytes of the source are one character of the text.
  CHECK(tests::findings("{\"name\": \"\\ud83d\\ude00\", \"x\": 1, \"schema\": \"rackwright/sample/v1\", \"deployment\": [{\"pool\": \"a\", \"on\": \"b\"}]}",
                        Format::json) == "s.yaml:1:26: error: unknown key 'x' (known: schema, name, seed, duration, verbose, deployment, devices, aliases, notes, factor)\n");
}

TEST_CASE("A textproto is checked by the schema, with places") {
  const std::string text = scenarios::write_message(read(mixed), Format::textproto);
  CHECK(text.find("duration: 600") != std::string::npos);
  CHECK(read(text, Format::textproto).SerializeAsString() == read(mixed).SerializeAsString());
  CHECK(tests::findings("schema: \"rackwright/sample/v1\"\nseed: -1\ndeployment {\n  pool: \"a\"\n  scheduler { token_budget: 0 }\n}\n"
                        "deployment { pool: \"a\" on: \"b\" }\n", Format::textproto) ==
        "s.yaml:2:1: error: seed: -1 is out of range (allowed: at least 0)\n"
        "s.yaml:5:15: error: deployment[0].scheduler.token_budget: 0 is out of range (allowed: 1 to 1000000)\n"
        "s.yaml:7:14: error: deployment[1].pool: 'a' is used twice\n"
        "s.yaml:3:1: error: deployment[0]: 'on' is missing (Where it runs)\n");
  CHECK(tests::findings("schema: \"rackwright/sample/v1\"\nsede: 1\n", Format::textproto) ==
        "s.yaml:2:5: error: Message type \"rackwright.test.Sample\" has no field named \"sede\"\n");
}

TEST_CASE("A binary message is checked by the schema") {
  test::Sample sample = read(mixed);
  CHECK(read(scenarios::write_message(sample, Format::binary), Format::binary).SerializeAsString() == sample.SerializeAsString());
  sample.mutable_deployment(0)->mutable_scheduler()->set_policy(static_cast<test::Policy>(77));
  sample.set_factor(std::numeric_limits<double>::infinity());
  CHECK(tests::findings(scenarios::write_message(sample, Format::binary), Format::binary) ==
        "s.yaml: error: deployment[0].scheduler.policy: 77 is not the number of a policy (known: fcfs, vllm-v1, sarathi, 0.5-fair)\n"
        "s.yaml: error: factor: the value is not finite\n");
  CHECK(tests::findings("\xff\xff", Format::binary) == "s.yaml: error: the bytes are not a binary Sample\n");
  CHECK(tests::findings("\x0a\x14rackwright/sample/v1\x32\x06\x0a\x01" "a\x12\x01" "b\xf8\x07\x01", Format::binary) ==
        "s.yaml: error: has fields that this version does not know (it was written by another version)\n");
}

TEST_CASE("The format of a file follows from the ending of its name") {
  CHECK(scenarios::format_of("a/b.yaml") == Format::yaml);
  CHECK(scenarios::format_of("b.yml") == Format::yaml);
  CHECK(scenarios::format_of("b.json") == Format::json);
  CHECK(scenarios::format_of("b.textproto") == Format::textproto);
  CHECK(scenarios::format_of("b.pb") == Format::binary);
  CHECK_FALSE(scenarios::format_of("b.csv"));
}

TEST_CASE("A preset gives what its overrides leave out: lists as a whole, maps by key") {
  test::Sample preset = read("schema: rackwright/sample/v1\nname: p\nseed: 3\nnotes: [a, b]\naliases: {x: 1, y: 2}\n"
                             "devices: {d: {idle_power: 5 W, memory_bandwidth: 1 TB/s}}\ndeployment: [{pool: a, on: r}]\n");
  test::Sample overrides;
  overrides.set_seed(0);
  overrides.add_notes("c");
  (*overrides.mutable_aliases())["y"] = "3";
  (*overrides.mutable_aliases())["z"] = "4";
  (*overrides.mutable_devices())["d"].set_idle_power(6);
  scenarios::merge_preset(preset, overrides);
  CHECK(scenarios::write_message(preset, Format::yaml) ==
        "schema: rackwright/sample/v1\nname: p\nseed: 0\ndeployment: [{pool: a, on: r}]\n"
        "devices: {d: {memory_bandwidth: 1 TB/s, idle_power: 6 W}}\naliases: {x: \"1\", y: \"3\", z: \"4\"}\nnotes: [c]\n");
}

TEST_CASE("A parameter that has no effect beside the others is a warning with the reason") {
  test::Sample sample;
  Diagnostics diagnostics;
  const auto places = scenarios::read_message(
      "s.yaml",
      "schema: rackwright/sample/v1\ndeployment:\n- {pool: a, on: r, scheduler: {token_budget: 9}}\n"
      "- {pool: b, on: r, scheduler: {policy: fcfs, token_budget: 9}}\n- {pool: c, on: r, scheduler: {token_budget: 1, chunked: true}}\n",
      Format::yaml, sample, diagnostics);
  scenarios::warn_of_no_effect(sample, places, diagnostics);
  // Pool a runs the default policy, vllm-v1, under which the budget counts.
  CHECK(tests::text_of(diagnostics) ==
        "s.yaml:4:60: warning: no effect: deployment[1].scheduler.token_budget, because policy is fcfs\n"
        "s.yaml:5:58: warning: no effect: deployment[2].scheduler.chunked, because token_budget is 1\n");
}
