#include "tests/support/catch.h"
#include "scenarios/codec/yaml_reader.h"
#include "tests/support/sample_reading.h"

using namespace rackwright;
using rackwright::scenarios::Format;
using rackwright::scenarios::SourceMap;
using tests::findings;

namespace {

/// A valid sample with one pool of one device, whose lines 1 to 2 these are.
const std::string head = "schema: rackwright/sample/v1\ndeployment: [{pool: a, on: r}]\n";

test::Sample read(const std::string& text) {
  test::Sample sample;
  Diagnostics diagnostics;
  scenarios::read_message("s.yaml", text, Format::yaml, sample, diagnostics);
  INFO(tests::text_of(diagnostics));
  REQUIRE(diagnostics.all().empty());
  return sample;
}

}  // namespace

TEST_CASE("Quantities, counts, choices and texts are read by the type of their field") {
  const test::Sample sample = read(R"(
schema: rackwright/sample/v1
name: no            # a text, whatever YAML 1.1 thinks of it
seed: 7
duration: 10 min
verbose: true
factor: 1e3
deployment:
  - pool: prefill
    on: gpu[0..31]
    device: {preset: h200-sxm, memory_bandwidth: 4.8 TB/s, efficiency: 75 %, peak: {fp8: 1979 TFLOP/s}}
    scheduler: {policy: 0.5-fair, token_budget: 8192}
    replicas: 1e6
    ids: [1, 2, 3]
  - {pool: decode, on: "lpu[0..1]", device: lp30, scheduler: sarathi, labels: [x, y]}
)");
  CHECK(sample.name() == "no");
  CHECK(sample.seed() == 7);
  CHECK(sample.duration() == 600);
  CHECK(sample.verbose());
  CHECK(sample.factor() == 1000);
  REQUIRE(sample.deployment_size() == 2);
  const test::Pool& prefill = sample.deployment(0);
  CHECK(prefill.on() == "gpu[0..31]");
  CHECK(prefill.device().memory_bandwidth() == 4.8e12);
  CHECK(prefill.device().efficiency() == 0.75);
  CHECK(prefill.device().peak().at("fp8") == 1979e12);
  CHECK(prefill.scheduler().policy() == test::POLICY_HALF);
  CHECK(prefill.replicas() == 1000000);
  CHECK(prefill.ids_size() == 3);
  const test::Pool& decode = sample.deployment(1);
  CHECK(decode.device().preset() == "lp30");
  CHECK(decode.scheduler().policy() == test::POLICY_SARATHI);
  REQUIRE(decode.labels().values_size() == 2);
  CHECK(decode.labels().values(1) == "y");
}

TEST_CASE("Null is not given, and zero and the empty text are") {
  const test::Sample sample = read(head + "seed: 0\nname: \"\"\nduration: null\nverbose: ~\n");
  CHECK(sample.has_seed());
  CHECK(sample.has_name());
  CHECK_FALSE(sample.has_duration());
  CHECK_FALSE(sample.has_verbose());
}

TEST_CASE("All findings of a file come in one pass, each with its place, its path and what to do") {
  CHECK(findings(R"(schema: rackwright/sample/v1
nmae: first
duration: 10
factor: 3 W
deployment:
  - pool: a
    scheduler: {policy: vlm-v1, token_budget: 0}
    device: {memory_bandwith: 1 TB/s, idle_power: 3 GB, efficiency: 1.5}
    token_budget: 12
  - on: [x]
    replicas: 1.5
    ids: {a: 1}
)") == R"(s.yaml:2:1: error: unknown key 'nmae' (did you mean 'name'?)
s.yaml:3:11: error: duration: '10' has no unit (units: ps, ns, us, µs, ms, s, min, h, d, week)
s.yaml:4:9: error: factor: a plain number is expected, not '3 W' (leave out 'W')
s.yaml:7:25: error: deployment[0].scheduler.policy: unknown policy 'vlm-v1' (did you mean 'vllm-v1'?)
s.yaml:7:47: error: deployment[0].scheduler.token_budget: 0 is out of range (allowed: 1 to 1000000)
s.yaml:8:14: error: deployment[0].device: unknown key 'memory_bandwith' (did you mean 'memory_bandwidth'?)
s.yaml:8:51: error: deployment[0].device.idle_power: '3 GB' is in GB, but W is expected (units: mW, W, kW, MW)
s.yaml:8:69: error: deployment[0].device.efficiency: 1.5 is out of range (allowed: above 0 and at most 1)
s.yaml:9:5: error: deployment[0]: unknown key 'token_budget' (it belongs inside 'scheduler')
s.yaml:6:5: error: deployment[0]: 'on' is missing (Where it runs)
s.yaml:10:9: error: deployment[1].on: a text is expected, not a list
s.yaml:11:15: error: deployment[1].replicas: '1.5' is not a whole number
s.yaml:12:10: error: deployment[1].ids: a list is expected, not a mapping (begin every item with '- ')
s.yaml:10:5: error: deployment[1]: 'pool' is missing (Name of the pool, as in 'pool: chat')
)");
}

TEST_CASE("A value of the wrong kind is named with the kind that is expected") {
  CHECK(findings(head + "notes: x\n") ==
        "s.yaml:3:8: error: notes: a list is expected, not 'x' (write [x])\n");
  CHECK(findings(head + "devices: [a]\n") ==
        "s.yaml:3:10: error: devices: a mapping of names is expected, not a list (write {name: …})\n");
  CHECK(findings(head + "duration: {s: 1}\n") == "s.yaml:3:11: error: duration: a quantity in s is expected, not a mapping\n");
  CHECK(findings(head + "verbose: yes\n") == "s.yaml:3:10: error: verbose: 'yes' is not true or false (write true or false)\n");
  CHECK(findings(head + "seed: many\n") == "s.yaml:3:7: error: seed: 'many' is not a whole number\n");
  CHECK(findings(head + "seed: 99999999999999999999\n") ==
        "s.yaml:3:7: error: seed: '99999999999999999999' is too large (allowed: at least 0)\n");
  CHECK(findings(head + "factor: 1e999\n") == "s.yaml:3:9: error: factor: '1e999' is not a number\n");
  CHECK(findings(head + "duration: 1e308 h\n") == "s.yaml:3:11: error: duration: '1e308 h' is too large (allowed: above 0 s)\n");
  CHECK(findings("schema: rackwright/sample/v1\ndeployment: [a]\n") ==
        "s.yaml:2:14: error: deployment[0]: a mapping is expected, not 'a' (write {pool: …})\n");
  CHECK(findings("- a\n") == "s.yaml:1:1: error: a mapping is expected, not a list (write {schema: …})\n");
}

TEST_CASE("What is written without a value is an error, for every kind of field") {
  CHECK(findings(head + "name:\nnotes: [a, ]\naliases: {x: }\n") ==
        "s.yaml:3:6: error: name: has no value (write one, or remove the key)\n"
        "s.yaml:5:14: error: aliases.x: has no value (write one, or remove the key)\n");
  CHECK(findings("schema: rackwright/sample/v1\ndeployment: []\n") ==
        "s.yaml:2:13: error: deployment: must have at least one entry\n");
  CHECK(findings("schema: rackwright/sample/v1\n") == "s.yaml:1:1: error: 'deployment' is missing (What runs where)\n");
}

TEST_CASE("A name that addresses an item of a list is unique in it") {
  CHECK(findings("schema: rackwright/sample/v1\ndeployment:\n- {pool: a, on: x}\n- {pool: b, on: x}\n- {pool: a, on: y}\n") ==
        "s.yaml:5:10: error: deployment[2].pool: 'a' is used twice (first in line 3)\n");
}

TEST_CASE("A file says what it is, and another kind of file is refused by that alone") {
  CHECK(findings("") == "s.yaml:1:1: error: the file does not say what it is (begin it with 'schema: rackwright/sample/v1')\n");
  CHECK(findings("schema: rackwright/study/v1\nbase: x\n") ==
        "s.yaml:1:9: error: schema: this is a 'rackwright/study/v1' file, but a 'rackwright/sample/v1' file is expected\n");
}

TEST_CASE("What is not well formed is refused with its place") {
  CHECK(findings("a: [1, 2\n") == "s.yaml:2:1: error: did not find expected ',' or ']' (while parsing a flow sequence that begins in line 1)\n");
  CHECK(findings("a:\n  b: 1\n c: 2\n") ==
        "s.yaml:3:2: error: did not find expected key (while parsing a block mapping that begins in line 1)\n");
  CHECK(findings("a: b: c\n") ==
        "s.yaml:1:5: error: a second ':' on the line (put quotes around a text that contains ': ', or check the indentation)\n");
  CHECK(findings("a:\n\tb: 1\n") == "s.yaml:2:1: error: a tab is used for indentation (indent with spaces)\n");
  CHECK(findings("d: [{on: gpu[0..3]}]\n") ==
        "s.yaml:1:13: error: '[' inside [ ] or { } begins a new collection (put quotes around a text that contains it, as in \"gpu[0..3]\")\n");
  CHECK(findings("a: 1\n---\nb: 2\n") == "s.yaml:2:1: error: the file has more than one document (keep one; '---' begins a second)\n");
  CHECK(findings("a: 1\nb: 2\na: 3\n") == "s.yaml:3:1: error: the key 'a' is given twice (first in line 1)\n");
  CHECK(findings("a: &x 1\nb: *x\n") ==
        "s.yaml:1:4: error: anchors are not supported: '&x' (write the value where it is used)\n"
        "s.yaml:2:4: error: aliases are not supported (write the value where it is used)\n");
  CHECK(findings("a: {<<: {b: 1}}\n") == "s.yaml:1:5: error: merge keys are not supported (presets and their overrides say things once)\n");
  CHECK(findings("a: !!int 3\n") == "s.yaml:1:4: error: tags are not supported: 'tag:yaml.org,2002:int' (types come from the schema)\n");
  CHECK(findings("? a\n: 1\n") == "s.yaml:1:3: error: the key 'a' is not followed by ':' (write 'key: value')\n");
  CHECK(findings("a: {b, c: 1}\n") == "s.yaml:1:5: error: the key 'b' is not followed by ':' (write 'key: value')\n");
  CHECK(findings("a: [b: 1]\n") == "s.yaml:1:5: error: a single pair in a list needs braces (write {key: value})\n");
  CHECK(findings("a: |+\n  x\n\n") == "s.yaml:1:4: error: '+' behind | or > is not supported (write the final line breaks in double quotes)\n");
  CHECK(findings("n: gr\xfc\xdf e\n") == "s.yaml:1:6: error: byte 0xFC is not valid UTF-8 (save the file as UTF-8)\n");
  CHECK(findings(std::string("n: a\0b\n", 7)) ==
        "s.yaml:1:5: error: the character U+0000 is not allowed (inside double quotes it can be written as an escape)\n");
  CHECK(findings("a: 1\rb: 2\n") == "s.yaml:1:5: error: the character U+000D is not allowed (end lines with a line feed)\n");
}

TEST_CASE("Nesting and size are limited, so that a hostile file ends with a message") {
  const std::string deep(2000, '[');
  CHECK(findings("a: " + deep) == "s.yaml:1:67: error: nested more than 64 deep\n");
  const scenarios::SourceText source("s.yaml", "[1, 2, 3, 4]");
  Diagnostics diagnostics;
  CHECK_FALSE(scenarios::read_yaml(source, diagnostics, scenarios::Notation::yaml, {.bytes = 100, .depth = 9, .nodes = 3}));
  CHECK_FALSE(scenarios::read_yaml(source, diagnostics, scenarios::Notation::yaml, {.bytes = 10, .depth = 9, .nodes = 9}));
  CHECK(tests::text_of(diagnostics) == "s.yaml:1:8: error: more than 3 values\ns.yaml: error: the file is larger than 10 bytes\n");
}

TEST_CASE("Columns count characters behind text that is not ASCII, with a byte order mark and with CRLF") {
  CHECK(findings("\xEF\xBB\xBFschema: rackwright/sample/v1\r\nname: \"grün 🚀\" # €\r\ndeployment: [{pool: \"ä\", on: r, x: 1}]\r\n") ==
        "s.yaml:3:33: error: deployment[0]: unknown key 'x' (known: pool, on, device, scheduler, replicas, ids, labels)\n");
}

TEST_CASE("A place of the document is found by index and by name, or the nearest around it") {
  test::Sample sample;
  Diagnostics diagnostics;
  const std::string text = "schema: rackwright/sample/v1\ndeployment:\n- {pool: a, on: r, device: h200}\n- pool: b\n  on: s\n";
  SourceMap places = scenarios::read_message("s.yaml", text, Format::yaml, sample, diagnostics);
  const auto at = [&](std::string_view path) {
    const Location where = places.find(path);
    return std::to_string(where.line) + ":" + std::to_string(where.column);
  };
  CHECK(at("deployment[1].on") == "5:7");
  CHECK(at("deployment.b.on") == "5:7");
  CHECK(at("deployment[0].device") == "3:28");
  CHECK(at("deployment[0].device.preset") == "3:28");
  CHECK(at("deployment[0].device.idle_power") == "3:28");
  CHECK(at("deployment[1].scheduler.policy") == "4:3");
  CHECK(at("deployment[7]") == "3:1");
  CHECK(at("duration") == "1:1");
  places.add({{"deployment", {}}, {"b", {}}, {"on", {}}}, {"--set deployment.b.on=x"});
  CHECK(places.find("deployment[1].on").file == "--set deployment.b.on=x");
  CHECK(places.find("deployment[1].pool").file == "s.yaml");
}
