#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "scenarios/codec/codec.h"
#include "scenarios/schema/reference.h"
#include "scenarios/schema/scenario.pb.h"
#include "scenarios/schema/schema_problems.h"
#include "scenarios/schema/sources.pb.h"
#include "tests/support/catch.h"

using namespace rackwright;

namespace {

/// Reads every example below `group` as a user would write it.
void try_examples(const google::protobuf::Descriptor& group, std::set<const google::protobuf::Descriptor*>& seen) {
  if (!seen.insert(&group).second) return;
  for (int i = 0; i < group.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *group.field(i);
    if (field.message_type()) try_examples(*field.message_type(), seen);
    const std::string example = scenarios::describe_parameter(field).example;
    if (example.empty()) continue;
    const bool needs_schema = &group == v1::Scenario::descriptor() && field.name() != "schema";   // a whole file says what it is
    const std::string head = needs_schema ? "schema: rackwright/v1\n" : "";
    const std::unique_ptr<google::protobuf::Message> message(google::protobuf::MessageFactory::generated_factory()->GetPrototype(&group)->New());
    Diagnostics findings;
    scenarios::read_message("example", head + std::string(field.name()) + ": " + example + "\n", scenarios::Format::yaml, *message, findings, scenarios::Missing::leave);
    for (const Diagnostic& finding : findings.all()) FAIL_CHECK(group.name() << '.' << field.name() << ": " << to_string(finding));
  }
}

}  // namespace

TEST_CASE("The schema of scenarios and of the catalog keeps its own rules") {
  for (const auto* root : {v1::Scenario::descriptor(), v1::CatalogSource::descriptor(), v1::Switch::descriptor()}) {
    for (const std::string& problem : scenarios::schema_problems(*root)) FAIL_CHECK(problem);
  }
}

TEST_CASE("Every example of a parameter can be written into a scenario") {
  std::set<const google::protobuf::Descriptor*> seen;
  try_examples(*v1::Scenario::descriptor(), seen);
  CHECK(seen.size() > 50);
}

TEST_CASE("The reference in docs is the one that the schema gives (write_reference docs/reference)") {
  std::ifstream file(std::filesystem::path(RACKWRIGHT_SOURCE_DIR) / "docs/reference/scenario.md", std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  // Compared as a whole: the difference would fill the screen.
  const bool is_current = written == scenarios::reference_markdown(scenarios::describe(*v1::Scenario::descriptor()));
  CHECK(is_current);
}
