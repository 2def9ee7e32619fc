#include <google/protobuf/descriptor.h>

#include "models/base/invariant.h"
#include "scenarios/schema/applies_when.h"
#include "scenarios/schema/effective.h"
#include "scenarios/schema/explain.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/reference.h"
#include "scenarios/schema/schema_problems.h"
#include "scenarios/schema/written_names.h"
#include "tests/support/broken.pb.h"
#include "tests/support/catch.h"
#include "tests/support/sample.pb.h"

using namespace rackwright;
using namespace rackwright::scenarios;

namespace {

SchemaDescription sample() { return describe(*test::Sample::descriptor()); }

std::string explained(std::string_view path) {
  std::string problem;
  return explain_text(sample(), path, problem).value_or("problem: " + problem);
}

}  // namespace

TEST_CASE("A choice is written without its enum's name, in kebab-case, unless the schema says otherwise") {
  const auto& policy = *test::Policy_descriptor();
  CHECK(written_names(policy) == std::vector<std::string>{"fcfs", "vllm-v1", "sarathi", "0.5-fair"});
  CHECK(find_written(policy, "vllm-v1")->number() == test::POLICY_VLLM_V1);
  CHECK(find_written(policy, "unspecified") == nullptr);
  CHECK(find_written(policy, "") == nullptr);
}

TEST_CASE("A default holds where nothing is given, read by the rules of a file") {
  test::Pool pool;
  CHECK(effective_choice<test::Policy>(pool.scheduler(), test::Scheduler::kPolicyFieldNumber) == test::POLICY_VLLM_V1);
  CHECK(effective_count(pool.scheduler(), test::Scheduler::kTokenBudgetFieldNumber) == 8192);
  CHECK(effective_truth(pool.scheduler(), test::Scheduler::kChunkedFieldNumber));
  CHECK(effective_quantity(pool.device(), test::Device::kEfficiencyFieldNumber) == 0.8);
  pool.mutable_scheduler()->set_token_budget(0);
  CHECK(effective_count(pool.scheduler(), test::Scheduler::kTokenBudgetFieldNumber) == 0);
  CHECK_THROWS_AS(effective_count(pool, test::Pool::kReplicasFieldNumber), InvariantViolation);
}

TEST_CASE("Filling in defaults leaves out what has no effect, and absent groups") {
  test::Sample message;
  message.add_deployment()->mutable_scheduler()->set_policy(test::POLICY_FCFS);
  message.add_deployment()->mutable_scheduler();
  (*message.mutable_devices())["d"].set_preset("p");
  fill_defaults(message);
  CHECK(message.seed() == 1);
  CHECK_FALSE(message.deployment(0).scheduler().has_token_budget());
  CHECK(message.deployment(1).scheduler().token_budget() == 8192);
  CHECK_FALSE(message.deployment(1).has_device());
  CHECK(message.devices().at("d").efficiency() == 0.8);
}

TEST_CASE("Conditions test for values, absence and size, with defaults counted") {
  const auto condition = parse_condition("scheduler.policy: not fcfs | sarathi");
  REQUIRE(condition);
  CHECK(condition->path == std::vector<std::string>{"scheduler", "policy"});
  CHECK(condition->negated);
  CHECK(condition->values == std::vector<std::string>{"fcfs", "sarathi"});
  CHECK(parse_condition("a: not given")->test == Condition::Test::is_given);
  CHECK(parse_condition("a: >= 3")->test == Condition::Test::is_greater_or_equal);
  CHECK_FALSE(parse_condition("no colon"));
  CHECK_FALSE(parse_condition("a: "));
  CHECK_FALSE(parse_condition("a: b |"));
  CHECK_FALSE(parse_condition("a: >"));

  test::Scheduler scheduler;
  const auto& budget = *test::Scheduler::descriptor()->FindFieldByName("token_budget");
  CHECK_FALSE(reason_without_effect(scheduler, budget));
  scheduler.set_policy(test::POLICY_FCFS);
  CHECK(reason_without_effect(scheduler, budget) == "policy is fcfs");
}

TEST_CASE("A path names fields, items by index or key, and entries, and is written back as it was read") {
  std::string problem;
  for (const std::string text : {"workload.trace.scale_time", "deployment[0].on", "deployment.prefill.on", "a[3][4]",
                                 "models.\"llama-3.1-8b\".weights", "a.\"q\\\"b\\\\\""}) {
    const auto path = parse_path(text, problem);
    REQUIRE(path);
    CHECK(to_string(*path) == text);
  }
  CHECK(parse_path("", problem)->empty());
  for (const std::string text : {".", "a.", "a..b", "[0]", "a[x]", "a[0", "a[-1]", "a\"b\"", "a.\"b", "a b", "a[0]b", "a[99999999999999999999]"}) {
    INFO(text);
    CHECK_FALSE(parse_path(text, problem));
  }
}

TEST_CASE("Explaining a parameter gives its type, units, range, default and where that comes from") {
  CHECK(explained("deployment[0].scheduler.token_budget") == R"(deployment[0].scheduler.token_budget: Most tokens of a step
  type          whole number of tokens
  range         1 to 1000000
  default       8192
  because       vLLM v1
  applies when  policy: vllm-v1 | sarathi
)");
  CHECK(explained("devices.d.memory_bandwidth") == R"(devices.d.memory_bandwidth: Peak bandwidth
  type          quantity in B/s
  units         b/s, B/s, kb/s, kB/s, Mb/s, MB/s, MiB/s, Gb/s, GB/s, GiB/s, Tb/s, TB/s, TiB/s, Pb/s, PB/s
  range         above 0 B/s
  example       4.8 TB/s
)");
  CHECK(explained("deployment.prefill.seed").starts_with("problem"));
  CHECK(explained("deployment.prefill.on") == "deployment.prefill.on: Where it runs\n  type          text\n  required      yes\n  refers to     rack\n");
  CHECK(explained("deployment.scheduler.policy") == R"(deployment.scheduler.policy: Scheduling rules
  type          one of fcfs, vllm-v1, sarathi, 0.5-fair
  default       vllm-v1
  because       most used
  fcfs          First come, first served
  vllm-v1       As vLLM v1 does it
  sarathi       As Sarathi-Serve does it
  0.5-fair      Half fair
)");
}

TEST_CASE("Explaining a group lists its parameters, and the empty path the whole file") {
  CHECK(explained("deployment.scheduler") == R"(deployment.scheduler: Batch formation
  type          Scheduler

A bare value fills 'policy'.

  policy        Scheduling rules [one of fcfs, vllm-v1, sarathi, 0.5-fair, default vllm-v1]
  token_budget  Most tokens of a step [whole number of tokens, default 8192]
  chunked       Whether a prompt is split [true or false, default true]

More: explain deployment.scheduler.NAME
)");
  CHECK(explained("").starts_with("A file with one of everything\n\n  schema      Version of the language [text, required]\n"));
}

TEST_CASE("Explaining what is not there names the nearest parameter") {
  CHECK(explained("deployment.shceduler.policy") == "problem: 'deployment' has no parameter 'shceduler' (did you mean 'scheduler'?)");
  CHECK(explained("nmae") == "problem: the file has no parameter 'nmae' (did you mean 'name'?)");
  CHECK(explained("seed.x") == "problem: 'seed' is a single value and has no 'x'");
}

TEST_CASE("The description reaches every group once, also one that holds itself") {
  const SchemaDescription description = sample();
  std::vector<std::string> names;
  for (const GroupInfo& group : description.groups) names.push_back(group.name);
  CHECK(names == std::vector<std::string>{"Sample", "Pool", "Device", "Scheduler", "Names"});
  CHECK(describe(*test::Broken::descriptor()).groups.size() == 1);
  const ParameterInfo& peak = *description.find("Device")->find("peak");
  CHECK(peak.multiplicity == Multiplicity::map);
  CHECK(peak.type == ParameterType::quantity);
  CHECK(peak.above == 0.0);
}

TEST_CASE("The reference has a table of parameters for every group") {
  const std::string text = reference_markdown(sample());
  CHECK(text.find("\n## Scheduler\n\nHow a batch is formed.\nA bare value fills `policy`.\n") != std::string::npos);
  CHECK(text.find("| `token_budget` | Most tokens of a step. Applies when `policy: vllm-v1 \\| sarathi` | whole number of tokens | 1 to "
                  "1000000 | `8192`: vLLM v1 |") != std::string::npos);
  CHECK(text.find("| `deployment` | What runs where | list of [Pool](#pool) |  | required |") != std::string::npos);
}

TEST_CASE("A sound schema has no problems, and each mistake in a schema is named") {
  CHECK(schema_problems(*test::Sample::descriptor()).empty());
  std::string all;
  for (const std::string& problem : schema_problems(*test::Broken::descriptor())) all += problem + "\n";
  CHECK(all == R"(rackwright.test.Broken: has no help
rackwright.test.Broken: has no field 'nothing'
rackwright.test.Broken: 'self' is not a scalar
rackwright.test.Broken: is a document without a field 'schema'
rackwright.test.Broken.no_help: has no help
rackwright.test.Broken.stop: its help ends with a full stop
rackwright.test.Broken.unit: unit 'GB' is not known
rackwright.test.Broken.count_unit: has a unit, but is not a double
rackwright.test.Broken.no_presence: is not declared optional
rackwright.test.Broken.kind: is of a type that files cannot hold
rackwright.test.Broken.keys: has keys that are not strings
rackwright.test.Broken.bad_default: is required and has a default
rackwright.test.Broken.bad_default: its default has no source
rackwright.test.Broken.bad_default: its default: '5' has no unit
rackwright.test.Broken.bad_example: its example: 9 is out of range
rackwright.test.Broken.list: a list cannot have a default
rackwright.test.Broken.condition: applies_when 'x' cannot be read
rackwright.test.Broken.condition: applies_when 'missing: given' names no field
rackwright.test.Broken.condition: applies_when 'self: a' can only test for 'given'
rackwright.test.Broken.condition: applies_when 'condition: > many' compares with no number
rackwright.test.Broken.condition: its use in applies_when: 'many' is not a whole number
rackwright.test.Broken.left: is in a oneof; edits cannot keep those, conditions can
)");
}
