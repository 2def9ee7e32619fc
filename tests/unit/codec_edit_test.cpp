#include <functional>
#include <optional>
#include <string>

#include "scenarios/codec/editable_text.h"
#include "scenarios/codec/message_path.h"
#include "tests/support/catch.h"
#include "tests/support/sample_reading.h"

using namespace rackwright;
using scenarios::EditableText;
using scenarios::Notation;
using scenarios::SourceText;
using scenarios::TextEdits;

namespace {

const Location here{"--set"};

using Change = std::function<EditableText::Result(const EditableText&, Diagnostics&)>;

/// The text after the edit, or the findings where it is refused.
std::string edited(const std::string& text, const Change& change, Notation notation = Notation::yaml) {
  Diagnostics diagnostics;
  const auto editable = EditableText::read(SourceText("s.yaml", text), notation, *test::Sample::descriptor(), diagnostics);
  REQUIRE(editable);
  const EditableText::Result edits = change(*editable, diagnostics);
  return edits ? scenarios::apply_edits(text, *edits) : tests::text_of(diagnostics);
}

Change set(std::string path, std::string value) {
  return [=](const EditableText& text, Diagnostics& diagnostics) { return text.set(path, value, here, diagnostics); };
}
Change removed(std::string path) {
  return [=](const EditableText& text, Diagnostics& diagnostics) { return text.remove(path, here, diagnostics); };
}
Change insert(std::string path, std::size_t index, std::string item) {
  return [=](const EditableText& text, Diagnostics& diagnostics) { return text.insert_item(path, index, item, here, diagnostics); };
}
Change duplicate(std::string path, std::string name) {
  return [=](const EditableText& text, Diagnostics& diagnostics) { return text.duplicate_item(path, name, here, diagnostics); };
}
Change moved(std::string path, std::size_t to) {
  return [=](const EditableText& text, Diagnostics& diagnostics) { return text.move_item(path, to, here, diagnostics); };
}
Change renamed(std::string path, std::string name) {
  return [=](const EditableText& text, Diagnostics& diagnostics) { return text.rename_key(path, name, here, diagnostics); };
}

const std::string hall = R"(# The hall of the review in May.
schema: rackwright/sample/v1
seed: 7            # as in the paper

deployment:
  # Prompts go here.
  - pool: prefill
    on: gpu[0..31] # all of them
    scheduler: {policy: vllm-v1, token_budget: 8192}

  - pool: decode
    on: lpu
    device: lp30
notes: [a, b]
)";

}  // namespace

TEST_CASE("Setting a value replaces its text and nothing else") {
  CHECK(edited("seed: 7            # as in the paper\n", set("seed", "8")) == "seed: 8            # as in the paper\n");
  CHECK(edited("a: {b: 1}\nseed: 7\n", set("seed", "8")) == "a: {b: 1}\nseed: 8\n");
  CHECK(edited("name: 'it''s' # x\n", set("name", "a: b")) == "name: \"a: b\" # x\n");
  CHECK(edited("name: # nothing yet\n", set("name", "x")) == "name: x # nothing yet\n");
  CHECK(edited("name: | # why\n  two\n  lines\nseed: 1\n", set("name", "x")) == "name: x # why\nseed: 1\n");
  CHECK(edited("notes:\n- a # first\n- b\n", set("notes[1]", "true")) == "notes:\n- a # first\n- \"true\"\n");
  CHECK(edited("notes: # two\n- a\n- b\nseed: 1\n", set("notes", "[c]")) == "notes: [c] # two\nseed: 1\n");
}

TEST_CASE("A new key stands in the order of the schema, in the style of its surroundings") {
  CHECK(edited("schema: s # v1\nseed: 7\n", set("name", "x")) == "schema: s # v1\nname: x\nseed: 7\n");
  CHECK(edited("seed: 7\n", set("schema", "s")) == "schema: s\nseed: 7\n");
  CHECK(edited("", set("seed", "7")) == "seed: 7\n");
  CHECK(edited("# empty", set("seed", "7")) == "# empty\nseed: 7\n");
  CHECK(edited("{schema: s, seed: 7}\n", set("name", "x")) == "{schema: s, name: x, seed: 7}\n");
  CHECK(edited("devices:\n  d:\n    preset: p # as bought\n", set("devices.d.peak.fp8", "2 PFLOP/s")) ==
        "devices:\n  d:\n    preset: p # as bought\n    peak:\n      fp8: 2 PFLOP/s\n");
  CHECK(edited("devices:\n  d: {preset: p}\n", set("devices.d.peak.fp8", "2 PFLOP/s")) ==
        "devices:\n  d: {preset: p, peak: {fp8: 2 PFLOP/s}}\n");
  CHECK(edited("seed: 1\r\n", set("devices.a.idle_power", "3 W")) == "seed: 1\r\ndevices:\r\n  a:\r\n    idle_power: 3 W\r\n");
  CHECK(edited("devices: null # none yet\n", set("devices.a.idle_power", "3 W")) ==
        "devices:\n  a:\n    idle_power: 3 W # none yet\n");
}

TEST_CASE("A bare value grows into a group when another field of it is set") {
  CHECK(edited("devices: {d: h200-sxm}\n", set("devices.d.memory_bandwidth", "5 TB/s")) ==
        "devices: {d: {preset: h200-sxm, memory_bandwidth: 5 TB/s}}\n");
  CHECK(edited("devices:\n  d: h200-sxm # bought\n", set("devices.d.preset", "b200")) == "devices:\n  d: b200 # bought\n");
  CHECK(edited("deployment:\n- pool: a\n  labels: [x, y]\n", set("deployment.a.labels.note", "n")) ==
        "deployment:\n- pool: a\n  labels: {values: [x, y], note: n}\n");
}

TEST_CASE("Items are addressed by index or by name") {
  const std::string by_name = edited(hall, set("deployment.decode.on", "lpu[0..7]"));
  CHECK(by_name == edited(hall, set("deployment[1].on", "lpu[0..7]")));
  CHECK(by_name.find("    on: lpu[0..7]\n    device: lp30\n") != std::string::npos);
}

TEST_CASE("Removing takes the line with its comment, and leaves an empty group for the last key") {
  CHECK(edited("schema: s\nseed: 7 # why\nname: x\n", removed("seed")) == "schema: s\nname: x\n");
  CHECK(edited("devices:\n  d:\n    preset: p\nseed: 1\n", removed("devices.d.preset")) == "devices:\n  d: {}\nseed: 1\n");
  CHECK(edited("devices: {d: p}\n", removed("devices.d.preset")) == "devices: {d: {}}\n");
  CHECK(edited("deployment:\n- pool: a # first\n  on: r\n", removed("deployment[0].pool")) == "deployment:\n-  # first\n  on: r\n");
  CHECK(edited("deployment:\n- pool: a\n  on: r\n", removed("deployment[0].pool")) == "deployment:\n- on: r\n");
  CHECK(edited("notes: [a, b, c]\n", removed("notes[0]")) == "notes: [b, c]\n");
  CHECK(edited("notes: [a, b, c]\n", removed("notes[2]")) == "notes: [a, b]\n");
  CHECK(edited("notes: [\n  a, # 1\n  b, # 2\n  c # 3\n]\n", removed("notes[1]")) == "notes: [\n  a, # 1\n  c # 3\n]\n");
  CHECK(edited("notes: [\n  a, # 1\n  b # 2\n]\n", removed("notes[1]")) == "notes: [\n  a # 1\n]\n");
}

TEST_CASE("An item is inserted in the style of the list") {
  CHECK(edited("notes: [a, b]\n", insert("notes", 1, "x y")) == "notes: [a, x y, b]\n");
  CHECK(edited("notes: [a, b]\n", insert("notes", 2, "c")) == "notes: [a, b, c]\n");
  CHECK(edited("notes: [\n  a, # 1\n  b # 2\n]\n", insert("notes", 2, "c")) == "notes: [\n  a, # 1\n  b, # 2\n  c\n]\n");
  CHECK(edited("notes: []\n", insert("notes", 0, "c")) == "notes: [c]\n");
  CHECK(edited("seed: 1\n", insert("notes", 0, "c")) == "seed: 1\nnotes: [c]\n");
  CHECK(edited("deployment:\n# the first\n- {pool: a}\n", insert("deployment", 0, "{pool: b, on: r}")) ==
        "deployment:\n- {pool: b, on: r}\n# the first\n- {pool: a}\n");
  CHECK(edited(hall, insert("deployment", 2, "{pool: draft, on: cpu}")).find("    device: lp30\n  - pool: draft\n    on: cpu\nnotes") != std::string::npos);
}

TEST_CASE("A copied item takes its comments along and gets a name of its own") {
  CHECK(edited("deployment:\n- pool: a # one\n  on: r\n\n- {pool: b}\n", duplicate("deployment.a", "c")) ==
        "deployment:\n- pool: a # one\n  on: r\n- pool: c # one\n  on: r\n\n- {pool: b}\n");
  CHECK(edited("deployment: [{pool: a, on: r}]\n", duplicate("deployment[0]", "b")) == "deployment: [{pool: a, on: r}, {pool: b, on: r}]\n");
}

TEST_CASE("A moved item takes the comment lines above it along; blank lines between items stay") {
  CHECK(edited(hall, moved("deployment.prefill", 1)) == R"(# The hall of the review in May.
schema: rackwright/sample/v1
seed: 7            # as in the paper

deployment:
  - pool: decode
    on: lpu
    device: lp30

  # Prompts go here.
  - pool: prefill
    on: gpu[0..31] # all of them
    scheduler: {policy: vllm-v1, token_budget: 8192}
notes: [a, b]
)");
  CHECK(edited("notes: [a, b, c]\n", moved("notes[2]", 0)) == "notes: [c, a, b]\n");
}

TEST_CASE("A key of a mapping can be renamed, unless the name is taken") {
  CHECK(edited("devices:\n  d: # mine\n    preset: p\n", renamed("devices.d", "e: f")) == "devices:\n  \"e: f\": # mine\n    preset: p\n");
  CHECK(edited("devices: {d: p, e: q}\n", renamed("devices.d", "e")) == "--set: error: devices.d: there is already a 'e'\n");
}

TEST_CASE("JSON stays JSON") {
  CHECK(edited("{\n  \"seed\": 1,\n  \"notes\": [\"a\"]\n}\n", set("name", "x"), Notation::json) ==
        "{\n  \"name\": \"x\",\n  \"seed\": 1,\n  \"notes\": [\"a\"]\n}\n");
  CHECK(edited("{\"seed\": 1}", set("devices.d.idle_power", "3 W"), Notation::json) ==
        "{\"seed\": 1, \"devices\": {\"d\": {\"idle_power\": \"3 W\"}}}");
  CHECK(edited("{\"seed\": 1, \"notes\": [\"a\"]}", insert("notes", 1, "b"), Notation::json) == "{\"seed\": 1, \"notes\": [\"a\", \"b\"]}");
}

TEST_CASE("An edit that does not fit is refused with the path and what to do") {
  CHECK(edited(hall, set("deployment.prefil.on", "x")) == "--set: error: deployment.prefil.on: no item of 'deployment' is called 'prefil' (did you mean 'prefill'?)\n");
  CHECK(edited(hall, set("deployment[2].on", "x")) == "--set: error: deployment[2].on: 'deployment' has no item 2 (it has 2)\n");
  CHECK(edited(hall, set("deployment[0].scheduler.budget", "1")) ==
        "--set: error: deployment[0].scheduler.budget: there is no parameter 'budget' (known: policy, token_budget, chunked)\n");
  CHECK(edited(hall, set("seed.x", "1")) == "--set: error: seed.x: 'seed' is a single value and has no 'x'\n");
  CHECK(edited(hall, set("seed[0]", "1")) == "--set: error: seed[0]: 'seed' is a single value and has no '[0]'\n");
  CHECK(edited(hall, set("duration", "10")) == "--set: error: duration: '10' has no unit (units: ps, ns, us, µs, ms, s, min, h, d, week)\n");
  CHECK(edited(hall, set("deployment[0].device", "{prest: x}")) ==
        "--set:1:2: error: deployment[0].device: unknown key 'prest' (did you mean 'preset'?)\n");
  CHECK(edited(hall, set("a..b", "1")) == "--set: error: 'a..b' is not a path: a name is missing\n");
  CHECK(edited(hall, removed("name")) == "--set: error: name: is not given\n");
  CHECK(edited(hall, moved("notes[0]", 2)) == "--set: error: notes[0]: the list has 2 items\n");
  CHECK(edited(hall, insert("seed", 0, "1")) == "--set: error: seed: is not a list\n");
}

TEST_CASE("Undo is the inverse edit, also of several places at once") {
  const std::string text = "0123456789";
  const TextEdits edits = {{1, 2, "abc"}, {5, 0, "x"}, {8, 2, ""}};
  const std::string changed = scenarios::apply_edits(text, edits);
  CHECK(changed == "0abc34x567");
  CHECK(scenarios::apply_edits(changed, scenarios::inverse_edits(text, edits)) == text);
}

TEST_CASE("A bare value set at a group fills the group's shorthand") {
  Diagnostics diagnostics;
  test::Sample sample;
  sample.add_deployment()->set_pool("decode");
  CHECK(scenarios::set_path(sample, "deployment.decode.device", "h200-sxm", here, diagnostics));
  CHECK(diagnostics.all().empty());
  CHECK(sample.deployment(0).device().preset() == "h200-sxm");
}

TEST_CASE("A value is set, read and removed by its path in a message") {
  test::Sample sample;
  Diagnostics diagnostics;
  scenarios::read_message("s", hall, scenarios::Format::yaml, sample, diagnostics);
  CHECK(scenarios::set_path(sample, "deployment.decode.device.memory_bandwidth", "150 TB/s", here, diagnostics));
  CHECK(scenarios::set_path(sample, "aliases.\"gpt-4.1\"", "chat", here, diagnostics));
  CHECK(scenarios::get_path(sample, "deployment[1].device") == "{preset: lp30, memory_bandwidth: 150 TB/s}");
  CHECK(scenarios::get_path(sample, "deployment[1].device.memory_bandwidth") == "150 TB/s");
  CHECK(scenarios::get_path(sample, "aliases.\"gpt-4.1\"") == "chat");
  CHECK(scenarios::get_path(sample, "notes") == "[a, b]");
  CHECK_FALSE(scenarios::get_path(sample, "duration"));
  CHECK_FALSE(scenarios::get_path(sample, "nonsense"));
  CHECK(scenarios::remove_path(sample, "notes[0]", here, diagnostics));
  CHECK(scenarios::get_path(sample, "notes") == "[b]");
  CHECK(diagnostics.all().empty());
  CHECK_FALSE(scenarios::set_path(sample, "deployment.x.on", "y", here, diagnostics));
  CHECK_FALSE(scenarios::remove_path(sample, "duration", here, diagnostics));
  CHECK(tests::text_of(diagnostics) == "--set: error: deployment.x.on: no item of 'deployment' is called 'x' (known: prefill, decode)\n"
                                       "--set: error: duration: is not given\n");
}
