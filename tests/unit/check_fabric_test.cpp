#include <fstream>

#include "scenarios/catalog/catalog.h"
#include "scenarios/check/checked_scenario.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/spec/findings.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "topologies/builders/fabric_catalog.h"
#include "topologies/exporters/exporters.h"

using namespace rackwright;
using namespace rackwright::scenarios;

namespace {

std::string hall(const std::string& fabric) {
  return "schema: rackwright/v1\n"
         "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
         "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 4}, {name: lpu, rack: lpx-256}]}\n" +
         fabric +
         "deployment:\n"
         "  - {pool: a, model: llama-3.1-8b, on: \"gpu[0..15]\", tensor_parallel: 4}\n"
         "  - {pool: b, model: llama-3.1-8b, on: \"gpu[16..31]\", tensor_parallel: 4}\n";
}

CheckedScenario checked(const std::string& fabric) { return check_scenario("s.yaml", hall(fabric), {}, Catalog()); }

std::string findings(const CheckedScenario& scenario) {
  std::string lines;
  for (const Diagnostic& finding : scenario.diagnostics.all()) lines += to_string(finding) + '\n';
  return lines;
}

/// Pool b sends to pool a, as a later part of the scenario will ask for.
std::optional<FabricPlan> connected(const CheckedScenario& scenario, std::optional<cost::TransferMechanism> mechanism, Diagnostics& diagnostics) {
  Findings found(scenario.places, diagnostics);
  return plan_fabric(scenario.spec, {{1, 0, mechanism, "deployment[1].model", "KV cache"}}, Catalog(), "s.yaml", found);
}

/// Of a scenario that gives a network and sends nothing over it.
constexpr const char* idle_fabric = "s.yaml:4:9: warning: fabric: no effect: fabric, because no pools send to each other, and no instance lies on several nodes\n";

}  // namespace

TEST_CASE("A scenario without a network builds none until two pools are connected, then a leaf-spine of the nodes' cards") {
  const CheckedScenario scenario = checked("");
  CHECK(findings(scenario).empty());
  CHECK_FALSE(scenario.fabric);
  Diagnostics diagnostics;
  const auto plan = connected(scenario, std::nullopt, diagnostics);
  REQUIRE(plan);
  CHECK(diagnostics.all().empty());
  // Four of eight cards of 50 GB/s a node, of which RDMA reaches 87 %.
  CHECK(plan->connections[0].reach == topologies::Reach::scale_out);
  CHECK(plan->connections[0].mechanism == cost::TransferMechanism::rdma);
  CHECK(plan->connections[0].bytes_per_s == Approx(4 * 50e9 * 0.87).epsilon(1e-6));
  CHECK(plan->connections[0].start_s > 5e-6);
  CHECK(plan->connections[0].start_s < 10e-6);
}

TEST_CASE("What the scenario says of a mechanism stands in place of published figures, and is assumed") {
  const CheckedScenario scenario = checked("fabric: {mechanisms: {rdma: {start_up: 380 us, efficiency: 50 %}}}\n");
  CHECK(findings(scenario) == idle_fabric);
  Diagnostics diagnostics;
  const auto plan = connected(scenario, std::nullopt, diagnostics);
  REQUIRE(plan);
  CHECK(plan->connections[0].bytes_per_s == Approx(100e9).epsilon(1e-6));
  CHECK(plan->connections[0].start_s == Approx(380e-6).epsilon(0.02));
  CHECK(plan->paths->mechanism(0, cost::TransferMechanism::rdma).provenance == cost::Provenance::assumed);
}

TEST_CASE("On devices with measured copies, mechanisms inside a domain are measured") {
  const CheckedScenario scenario = checked("fabric: {scale_out: {rails: 8}}\n");
  REQUIRE(scenario.fabric);
  const cost::TransferSpec& copies = scenario.fabric->paths->mechanism(0, cost::TransferMechanism::copy_engine);
  CHECK(copies.provenance == cost::Provenance::measured);
  // 64 MiB between two H200 took 175.6 us.
  const cost::TransferTerms terms = cost::transfer_terms(copies, 67108864, 450e9);
  CHECK(terms.start_s + 67108864 / terms.bytes_per_s == Approx(175.62e-6).epsilon(1e-6));
  CHECK(scenario.fabric->paths->mechanism(0, cost::TransferMechanism::tma).sms == 8);
}

TEST_CASE("Pools without a way between them are named, with what to do") {
  const CheckedScenario scenario = checked("fabric: {scale_out: none}\n");
  Diagnostics diagnostics;
  connected(scenario, std::nullopt, diagnostics);
  REQUIRE(diagnostics.error_count() == 1);
  CHECK(diagnostics.all()[0].message == "KV cache cannot go there: instance 0 of 'b' has no way to instance 0 of 'a'");
  CHECK(diagnostics.all()[0].path == "deployment[1].model");
}

TEST_CASE("A mechanism of devices does not reach from node to node") {
  const CheckedScenario scenario = checked("");
  Diagnostics diagnostics;
  connected(scenario, cost::TransferMechanism::tma, diagnostics);
  REQUIRE(diagnostics.error_count() == 1);
  CHECK(diagnostics.all()[0].message == "'tma' does not reach from node to node");
}

TEST_CASE("Networks that cannot be are refused at their place") {
  CHECK(findings(checked("fabric: {join: [{from: gpu, to: lpus, links: 4, link: 800 Gb/s}]}\n")).find("no rack is called 'lpus' (did you mean 'lpu'?)") !=
        std::string::npos);
  CHECK(findings(checked("fabric: {join: [{from: gpu, to: lpu, links: 4, link: 800 Gb/s, mechanism: tma}]}\n")).find("fabric.join[0].mechanism: 'tma' does not reach") !=
        std::string::npos);
  CHECK(findings(checked("fabric: {scale_out: {topology: torus-3d, racks: [gpu], size: [4, 4, 4]}}\n"))
            .find("a torus of this size has 64 devices, 'gpu' has 32") != std::string::npos);
  CHECK(findings(checked("fabric: {scale_out: {topology: file, file: nowhere.graphml}}\n")).find("no file 'nowhere.graphml'") != std::string::npos);
  CHECK(findings(checked("fabric: {scale_out: {racks: [lpu]}}\n")).find("the nodes of 'lpu' have no network cards") != std::string::npos);
}

TEST_CASE("What a scenario says of ways that nothing of its run takes is without effect, and that is said") {
  const auto said = [](const std::string& fabric) {
    return findings(check_scenario("s.yaml",
                                   "schema: rackwright/v1\n"
                                   "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
                                   "facility: {racks: [{name: gpu, rack: hgx-h200-air, count: 4}, {name: lpu, rack: lpx-256}]}\n" +
                                       fabric +
                                       "deployment:\n"
                                       "  - {pool: a, role: prefill, model: llama-3.1-8b, on: \"gpu[0..7]\"}\n"
                                       "  - {pool: b, role: decode, model: llama-3.1-8b, on: \"gpu[8..15]\"}\n",
                                   {}, Catalog()));
  };
  const auto has = [&](const std::string& fabric, const std::string& what) { return said(fabric).find("no effect: " + what) != std::string::npos; };
  CHECK(said("fabric: {scale_out: {link: 100 Gb/s}, mechanisms: {rdma: {efficiency: 50 %, sms: 2}}}\n").empty());
  CHECK(has("fabric: {mechanisms: {tcp: {efficiency: 50 %}}}\n", "fabric.mechanisms.tcp, because nothing is sent by it"));
  CHECK(has("fabric: {scale_out: {in_network_reduction: true}}\n", "fabric.scale_out.in_network_reduction, because no tensor group lies on several nodes"));
  CHECK(has("fabric: {scale_out: {reroute_delay: 1 ms}}\n", "fabric.scale_out.reroute_delay, because nothing fails"));
  CHECK(has("fabric: {join: [{from: gpu, to: lpu, links: 4, link: 800 Gb/s}]}\n", "fabric.join[0], because nothing is sent over it"));
}

TEST_CASE("Every topology of the schema can be asked for") {
  const std::string topology = GENERATE("rail-leaf-spine", "fat-tree", "dragonfly", "dragonfly-plus", "torus-2d", "torus-3d", "none");
  CAPTURE(topology);
  const CheckedScenario scenario = checked("fabric: {scale_out: {topology: " + topology + ", racks: [gpu]}}\n");
  CHECK(findings(scenario) == idle_fabric);
  REQUIRE(scenario.fabric);
  if (topology == "none") return;
  Diagnostics diagnostics;
  const auto plan = connected(scenario, std::nullopt, diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK(plan->connections[0].bytes_per_s > 40e9);
}

TEST_CASE("Experts are spread over whole nodes that network cards join, and every exchange takes at least its floor") {
  const auto text = [](const std::string& rack, int ranks) {
    return "schema: rackwright/v1\n"
           "workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 10 min}\n"
           "facility: {racks: [{name: gpu, rack: " + rack + ", count: 4}]}\n"
           "deployment: [{pool: a, model: deepseek-v3, on: gpu, data_parallel: " + std::to_string(ranks) + ", replicas: 1}]\n";
  };
  const auto exchange_s = [&](int ranks) {
    const CheckedScenario scenario = check_scenario("s.yaml", text("hgx-h200-air", ranks), {}, Catalog());
    CAPTURE(findings(scenario));
    REQUIRE(scenario.plans.size() == 1);
    REQUIRE(scenario.plans[0].cost);
    cost::StepShape step;
    step.decode_sequences = 32 * ranks;
    step.decode_context_tokens = 32 * ranks * 1000;
    step.decode_context_max = 1000;
    return scenario.plans[0].cost->price(step, {}).parts.link_s;
  };
  // 58 layers with experts, two exchanges each, 28 us at least; more of the bytes leave the node with more nodes.
  CHECK(exchange_s(16) > 58 * 2 * 28e-6);
  CHECK(exchange_s(32) > exchange_s(16));
  // Twelve ranks are no whole number of nodes.
  CHECK(findings(check_scenario("s.yaml", text("hgx-h200-air", 12), {}, Catalog())).find("do not fit a scale-up domain of 8") != std::string::npos);
}

TEST_CASE("A network from a file takes the nodes as its endpoints, and is refused when it has too few") {
  const test::TemporaryFolder folder;
  const auto write = [&](double hosts) {
    Diagnostics diagnostics;
    const auto network = topologies::build_fabric(*topologies::find_fabric("fat-tree"), {{"hosts", hosts}, {"nics", 1}}, diagnostics);
    std::ofstream(folder.path() / "net.graphml") << topologies::export_graphml(*network);
  };
  const auto check = [&] {
    return check_scenario((folder.path() / "s.yaml").string(), hall("fabric: {scale_out: {topology: file, file: net.graphml}}\n"), {}, Catalog());
  };
  write(4);
  const CheckedScenario scenario = check();
  CHECK(findings(scenario).find("no effect: fabric, because no pools send") != std::string::npos);
  CHECK_FALSE(scenario.diagnostics.has_errors());
  REQUIRE(scenario.fabric);
  // Node 3 to node 0 over one card of 50 GB/s, 400 GB/s of cards in the catalog: the file's link is the narrowest.
  const auto seconds = scenario.fabric->paths->undisturbed_seconds({{0, 24, 8}, {0, 0, 8}, 50e9});
  REQUIRE(seconds);
  CHECK(*seconds == Approx(1).epsilon(1e-3));
  write(3);
  CHECK(findings(check()).find("the network has 3 endpoints, but 4 nodes are to hang on it") != std::string::npos);
}
