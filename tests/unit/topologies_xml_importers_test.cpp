#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "models/base/invariant.h"
#include "tests/support/imported_topology.h"
#include "topologies/importers/simgrid.h"
#include "topologies/importers/simgrid_units.h"

using namespace rackwright;
using namespace rackwright::topologies;
using namespace rackwright::test;

TEST_CASE("NCCL XML: an RCCL dump of 16 dies has its PCIe tree, NICs and Infinity Fabric links once each") {
  const Imported imported = import_shared("nccl-xml/topo_16p1h.xml");
  REQUIRE(imported.topology);
  CHECK(imported.findings.empty());
  const Topology& topology = *imported.topology;
  CHECK(count(topology, VertexKind::accelerator) == 16);
  CHECK(count(topology, VertexKind::processor) == 4);
  CHECK(count(topology, VertexKind::nic) == 8);
  CHECK(cables(topology, LinkKind::xgmi) == 28);
  // "16.0 GT/s PCIe" on 16 lanes; 4 links of MI200 between the dies of one module.
  const Link& pcie = topology[topology.out_links(topology.find("mlx5_0").value())[0]];
  CHECK(pcie.bandwidth == Approx(31.508e9).epsilon(1e-4));
  const Link& fabric = topology[*link_between(topology, "gpu0", "gpu1")];
  CHECK(fabric.bandwidth == 4 * 50e9);
  CHECK(topology[topology.find("gpu0").value()].forwarding == Forwarding::always);
}

TEST_CASE("NCCL XML: cloud files end at PCI; classes tell GPUs from NICs, and devices without one stay unknown") {
  const Imported p4d = import_shared("nccl-xml/p4d-24xl-topo.xml");
  REQUIRE(p4d.topology);
  CHECK(count(*p4d.topology, VertexKind::accelerator) == 8);
  CHECK(count(*p4d.topology, VertexKind::nic) == 4);
  CHECK(count(*p4d.topology, VertexKind::pcie_switch) == 4);
  const Imported g5 = import_shared("nccl-xml/g5.48xl-topo.xml");
  REQUIRE(g5.topology);
  CHECK(count(*g5.topology, VertexKind::node) == 9);
  CHECK(g5.findings.size() == 2);
}

TEST_CASE("NCCL XML: NVLinks to switches, to GPUs from both ends and to GPUs that are missing") {
  const Imported imported = import_text(R"(<!-- no declaration --><system version="1">
  <cpu numaid="0" host_hash="0x1">
    <pci busid="0000:0f:00.0" class="0x060400" link_speed="" link_width="0">
      <pci busid="0000:10:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90"><nvlink target="0000:20:00.0" count="4" tclass="0x068000"/><nvlink target="0000:21:00.0" count="5" tclass="0x068000"/>
          <nvlink target="0000:11:00.0" count="2" tclass="0x030200"/><nvlink target="0000:77:00.0" count="1" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:11:00.0" class="0x030200"><gpu dev="1" sm="100"><nvlink target="0000:10:00.0" count="1" tclass="0x030200"/>
        <nvlink target="0000:20:00.0" count="4" tclass="0x068000"/><c2c bw="450000" count="1"/></gpu></pci>
      <pci busid="0000:12:00.0" class="0x020700" link_speed="32 GT/s" link_width="16"><nic><net name="mlx5_0" speed="400000"/><net name="mlx5_1" speed="200000"/></nic></pci>
    </pci>
    <nic><net name="veth0" speed="10000"/></nic>
  </cpu></system>)");
  REQUIRE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{
                                 "in:6:70: warning: no GPU or switch has the bus id '0000:77:00.0' (it is left out)",
                                 "in:8:72: warning: the ends of this link disagree about its count (line 6 is taken)",
                                 "in: note: 2 PCI links have no speed or no width; 8 GT/s and 16 lanes are taken, as NCCL does"});
  const Topology& topology = *imported.topology;
  CHECK(count(topology, VertexKind::scale_up_switch) == 2);
  CHECK(topology[*link_between(topology, "gpu0", "nvswitch 0000:21:00.0")].bandwidth == 5 * 25e9);
  CHECK(topology[*link_between(topology, "gpu1", "nvswitch 0000:20:00.0")].bandwidth == 4 * 50e9);
  CHECK(topology[*link_between(topology, "gpu0", "gpu1")].lanes == 2);
  CHECK(topology[*link_between(topology, "gpu1", "cpu0")].bandwidth == 450e9);
  CHECK(topology[*link_between(topology, "mlx5_1", "nic ports")].bandwidth == 25e9);
  CHECK(topology[*link_between(topology, "veth0", "cpu0")].bandwidth == 1.25e9);
  CHECK(topology[topology.find("gpu0").value()].in(DomainKind::island) == topology[topology.find("gpu1").value()].in(DomainKind::island));
}

TEST_CASE("NCCL XML: bus ids are the same in either case") {
  const auto gpu = [](const char* bus, const char* target) {
    return std::string("<pci busid=\"") + bus + "\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + (bus[5] == '2' ? "0" : "1") +
           "\" sm=\"90\"><nvlink target=\"" + target + "\" count=\"4\" tclass=\"0x030200\"/></gpu></pci>";
  };
  const Imported imported = import_text("<system version=\"1\"><cpu numaid=\"0\">" + gpu("0000:2A:00.0", "0000:3b:00.0") + gpu("0000:3B:00.0", "0000:2a:00.0") + "</cpu></system>");
  REQUIRE(imported.topology);
  CHECK(imported.findings.empty());
  CHECK((*imported.topology)[*link_between(*imported.topology, "gpu0", "gpu1")].lanes == 4);
}

TEST_CASE("NCCL XML: PCIe speeds in every spelling") {
  CHECK(*pcie_transfers("2.5 GT/s") == 2.5);
  CHECK(*pcie_transfers("32.0 GT/s PCIe") == 32);
  CHECK_FALSE(pcie_transfers(""));
  CHECK_FALSE(pcie_transfers("Unknown"));
  CHECK(pcie_bandwidth(2.5, 1) == Approx(0.25e9));
  CHECK(pcie_bandwidth(8, 16) == Approx(15.754e9).epsilon(1e-4));
  CHECK(pcie_bandwidth(32, 16) == Approx(63.015e9).epsilon(1e-4));
  CHECK(pcie_bandwidth(64, 16) == Approx(121e9));
}

TEST_CASE("NCCL XML: a width of 0 is 16 lanes, an NVSwitch may stand among the PCI devices, and a link may lead nowhere") {
  const Imported imported = import_text(R"(<system version="1"><cpu numaid="0">
<pci busid="a" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="0"><gpu dev="0" sm="90"><nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/></gpu>
  <gpu dev="0" sm="90"/></pci>
<pci busid="b" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="1" sm="90"><nvlink target="s" count="6" tclass="0x068000"/>
  <nvlink target="b" count="12" tclass="0x030200"/></gpu></pci>
<pci busid="s" class="0x068000" link_speed="16.0 GT/s PCIe" link_width="4"/></cpu></system>)");
  REQUIRE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{
                                 "in:3:3: warning: several GPUs on one PCI function are taken as the first of them",
                                 "in:5:3: warning: this link leads to its own GPU (it is left out)",
                                 "in: note: 1 PCI links have no speed or no width; 8 GT/s and 16 lanes are taken, as NCCL does"});
  const Topology& topology = *imported.topology;
  CHECK(count(topology, VertexKind::scale_up_switch) == 2);
  CHECK(topology[*link_between(topology, "gpu0", "cpu0")].bandwidth == Approx(63.015e9).epsilon(1e-4));
  CHECK(topology[*link_between(topology, "gpu1", "nvswitch s")].bandwidth == 6 * 25e9);
}

TEST_CASE("XML: the graphs file of NCCL, broken XML, deep nesting and entities are refused with a place") {
  const auto first = [](std::string_view text) {
    const Imported imported = import_text(text);
    CHECK_FALSE(imported.topology);
    REQUIRE_FALSE(imported.findings.empty());
    return imported.findings[0];
  };
  CHECK(first("<graphs version=\"1\"/>") ==
        "in:1:1: error: <graphs> is not a topology (this is NCCL's graph file (NCCL_GRAPH_FILE); the topology file starts with <system>)");
  CHECK(first("<system version=\"1\">\n  <cpu>\n</system>") == "in:3:3: error: not well-formed XML: mismatched tag");
  CHECK(first("<system version=\"1\"/>") == "in:1:1: error: the system has no <cpu>");
  std::string deep = "<system version=\"1\"><cpu>";
  for (int i = 0; i < 200; ++i) deep += "<pci>";
  CHECK(first(deep) == "in:1:516: error: elements are nested more than 100 deep");
  // A billion laughs.
  std::string laughs = "<!DOCTYPE graphml [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 30; ++i)
    laughs += "<!ENTITY a" + std::to_string(i) + " \"" + [&] {
      std::string ten;
      for (int n = 0; n < 10; ++n) ten += "&a" + std::to_string(i - 1) + ";";
      return ten;
    }() + "\">";
  CHECK(first(laughs + "]><graphml><graph><node id=\"&a29;\"/></graph></graphml>").find("error: not well-formed XML") != std::string::npos);
}

TEST_CASE("GraphML: Abilene, Cogentco and Geant keep every node and edge, and speeds come from LinkSpeedRaw") {
  const Imported abilene = import_shared("graphml/Abilene.graphml");
  REQUIRE(abilene.topology);
  CHECK(abilene.topology->vertex_count() == 11);
  CHECK(abilene.topology->cable_count() == 14);
  CHECK(abilene.topology->find("New York"));
  const Imported cogent = import_shared("graphml/Cogentco.graphml");
  REQUIRE(cogent.topology);
  CHECK(cogent.topology->vertex_count() == 197);
  CHECK(cogent.topology->cable_count() == 245);
  const Imported geant = import_shared("graphml/Geant2012.graphml");
  REQUIRE(geant.topology);
  CHECK(geant.topology->cable_count() == 61);
  CHECK((*geant.topology)[*link_between(*geant.topology, "DK", "IS")].bandwidth == 10e9 / 8);
  CHECK(geant.findings.size() == 1);
}

TEST_CASE("GraphML: keys by name, defaults, units, multi-edges, directions and loops") {
  const Imported imported = import_text(R"(<?xml version="1.0"?>
<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
  <g:key id="x9" for="edge" attr.name="LinkSpeed" attr.type="string"/><g:key id="x1" for="edge" attr.name="LinkSpeedUnits"><g:default>G</g:default></g:key>
  <g:key id="x2" for="edge" attr.name="capacity"/><g:key id="x3" for="edge" attr.name="delay"/><g:key id="x4" for="node" attr.name="label"/>
  <g:graph edgedefault="undirected">
    <g:node id="a"><g:data key="x4">city</g:data></g:node><g:node id="b"><g:data key="x4">city</g:data></g:node><g:node id="c"/><g:node id="d"/>
    <g:edge source="a" target="b"><g:data key="x9">10</g:data></g:edge>
    <g:edge source="a" target="b"><g:data key="x9">100</g:data><g:data key="x1">M</g:data></g:edge>
    <g:edge source="b" target="c" directed="true"><g:data key="x2">40 Gb/s</g:data><g:data key="x3">5 ms</g:data></g:edge>
    <g:edge source="c" target="b" directed="true"><g:data key="x2">1 GB/s</g:data></g:edge>
    <g:edge source="a" target="c" directed="true"><g:data key="x2">17</g:data></g:edge>
    <g:edge source="c" target="c"/>
    <g:hyperedge/>
  </g:graph>
</g:graphml>)");
  REQUIRE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{
                                 "in:13:5: warning: a hyperedge is left out",
                                 imported.findings.size() > 1 ? imported.findings[1] : "",
                                 "in:12:5: warning: an edge from 'c' to itself is left out",
                                 "in: warning: 1 of 5 edges have no bandwidth (taken as 1.25 GB/s)"});
  CHECK(imported.findings[1].starts_with("in:11:5: warning: capacity '17' is not used: "));
  const Topology& topology = *imported.topology;
  CHECK(topology.vertex_count() == 4);
  REQUIRE(topology.cable_count() == 4);
  CHECK(topology.links()[0].bandwidth == 10e9 / 8);
  CHECK(topology.links()[2].bandwidth == 100e6 / 8);
  // The two opposite directed edges are one cable.
  const LinkIndex there = *link_between(topology, "city#2", "c");
  CHECK(topology[there].bandwidth == 5e9);
  CHECK(topology[there].latency_s == 5e-3);
  CHECK(topology[reverse(there)].bandwidth == 1e9);
  CHECK(topology[*link_between(topology, "c", "city")].bandwidth == 0);
}

TEST_CASE("GraphML: unknown and repeated nodes are errors with a place") {
  const Imported imported = import_text("<graphml><graph>\n <node id='a'/><node id='a'/>\n <edge source='a' target='z'/></graph></graphml>");
  CHECK_FALSE(imported.topology);
  CHECK(imported.findings[0] == "in:2:16: error: a second node 'a'");
  CHECK(imported.findings[1] == "in:3:2: error: no node is called 'z' (the edge's target)");
}

TEST_CASE("SimGrid: bandwidths in bytes and bits and times with and without units") {
  CHECK(*simgrid_bandwidth("125MBps") == 125e6);
  CHECK(*simgrid_bandwidth("100Mbps") == 12.5e6);
  CHECK(*simgrid_bandwidth("1.25GBps") == 1.25e9);
  CHECK(*simgrid_bandwidth("10kBps") == 10e3);
  CHECK(*simgrid_bandwidth("1.25E9") == 1.25e9);
  CHECK(*simgrid_bandwidth("1KiBps") == 1024);
  CHECK(*simgrid_bandwidth("54Mbps,36Mbps,24Mbps") == 54e6 / 8);
  CHECK_FALSE(simgrid_bandwidth("10furlongs"));
  CHECK_FALSE(simgrid_bandwidth("-1MBps"));
  CHECK_FALSE(simgrid_bandwidth(""));
  CHECK(*simgrid_time("50us") == Approx(50e-6));
  CHECK(*simgrid_time("1.0E-4") == 1e-4);
  CHECK(*simgrid_time("0") == 0);
  CHECK_FALSE(simgrid_time("5 parsec"));
  CHECK(*simgrid_radical("0-2,5", 10) == std::vector<long>{0, 1, 2, 5});
  CHECK_FALSE(simgrid_radical("0-1000000000", 10));
  CHECK_FALSE(simgrid_radical("3-1", 10));
}

TEST_CASE("SimGrid: full routes over shared links become the tree that they describe") {
  // a -l1- * -l2- c, b -l3- *: three hosts around one junction, each route two links long; and a loopback.
  const Imported imported = import_text(R"(<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
  <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
  <link id="l1" bandwidth="100MBps" latency="10us" sharing_policy="SPLITDUPLEX"/><link id="l2" bandwidth="200Mbps" latency="2"/>
  <link id="l3" bandwidth="300MBps" latency="0"/><link id="loop" bandwidth="1GBps" sharing_policy="FATPIPE"/>
  <route src="a" dst="a"><link_ctn id="loop"/></route>
  <route src="a" dst="c"><link_ctn id="l1"/><link_ctn id="l2"/></route>
  <route src="a" dst="b"><link_ctn id="l1"/><link_ctn id="l3"/></route>
  <route src="b" dst="c"><link_ctn id="l3"/><link_ctn id="l2"/></route>
</zone></platform>)");
  REQUIRE(imported.topology);
  const Topology& topology = *imported.topology;
  CHECK(topology.vertex_count() == 4);
  CHECK(topology.cable_count() == 3);
  CHECK(topology[*link_between(topology, "a", "junction0")].bandwidth == 100e6);
  CHECK(topology[*link_between(topology, "c", "junction0")].bandwidth == 25e6);
  CHECK(topology[*link_between(topology, "c", "junction0")].latency_s == 2);
}

TEST_CASE("SimGrid: a backbone between three routers is one medium whose bandwidth they share") {
  const Imported imported = import_text(R"(<platform version="4"><AS id="z" routing="Full"><router id="r1"/><router id="r2"/><router id="r3"/>
  <link id="bb" bandwidth="1GBps" latency="1ms"/>
  <route src="r1" dst="r2"><link_ctn id="bb"/></route><route src="r2" dst="r3"><link_ctn id="bb"/></route>
  <route src="r1" dst="r3"><link_ctn id="bb"/></route></AS></platform>)");
  REQUIRE(imported.topology);
  const Topology& topology = *imported.topology;
  // Three routers and the two ends of the medium; one way through it, and each router in and out.
  CHECK(topology.vertex_count() == 5);
  CHECK(topology.cable_count() == 1 + 6);
  const Link& medium = topology[*link_between(topology, "bb in", "bb out")];
  CHECK(medium.bandwidth == 1e9);
  CHECK(medium.latency_s == 1e-3);
  CHECK(topology[reverse(*link_between(topology, "bb in", "bb out"))].bandwidth == 0);
}

TEST_CASE("SimGrid: one-way links carry one direction") {
  const Imported imported = import_text(R"(<platform version="4"><AS id="z" routing="Full"><host id="a" speed="1"/><host id="b" speed="1"/>
  <link id="up" bandwidth="1kBps"/><link id="down" bandwidth="2kBps"/>
  <route src="a" dst="b" symmetrical="NO"><link_ctn id="up"/></route><route src="b" dst="a" symmetrical="NO"><link_ctn id="down"/></route></AS></platform>)");
  REQUIRE(imported.topology);
  const Topology& topology = *imported.topology;
  REQUIRE(topology.cable_count() == 2);
  double there = 0;
  double back = 0;
  for (const LinkIndex link : topology.out_links(topology.find("a").value())) {
    there += topology[link].bandwidth;
    back += topology[reverse(link)].bandwidth;
  }
  CHECK(there == 1000);
  CHECK(back == 2000);
}

TEST_CASE("SimGrid: a platform may be a cluster without a zone around it") {
  const Imported imported = import_text("<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-7' speed='1Gf' bw='125MBps' lat='50us'/></platform>");
  REQUIRE(imported.topology);
  CHECK(imported.topology->links().size() == 2 * 8);  // Each host's cable to the middle, both directions.
}

TEST_CASE("SimGrid: clusters of every kind have the hosts, switches and cables of their parameters") {
  const auto cluster = [](std::string_view rest) {
    const Imported imported = import_text("<platform version='4.1'><zone id='w' routing='Full'><cluster id='c' prefix='n' suffix='.x' speed='1Gf' bw='125MBps' lat='50us' " +
                                          std::string(rest) + "/></zone></platform>");
    REQUIRE(imported.topology);
    return *imported.topology;
  };
  const Topology flat = cluster("radical='0-9,20'");
  CHECK(count(flat, VertexKind::host) == 11);
  CHECK(flat.cable_count() == 11);
  CHECK(link_between(flat, "n20.x", "nc_router.x"));
  const Topology backbone = cluster("radical='0-9' bb_bw='1.25GBps' bb_lat='0'");
  CHECK(backbone.cable_count() == 2 * 10 + 2 + 1);
  // Figure 1b of Zahavi: 16 hosts, 4 leaves of 4, 2 roots, two cables between each leaf and root.
  const Topology tree = cluster("radical='0-15' topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'");
  CHECK(count(tree, VertexKind::network_switch) == 6);
  CHECK(tree.cable_count() == 16 + 4 * 2 * 2);
  const Topology torus = cluster("radical='0-23' topology='TORUS' topo_parameters='4,3,2'");
  CHECK(torus.cable_count() == 3 * 24);
  CHECK(torus.grids()[0].hops({0}, {3}) == 1);
  // 3 groups of 4 chassis of 5 blades of 2 nodes: green 3·4·10, black 3·5·6, blue 3.
  const Topology dragonfly = cluster("radical='0-119' topology='DRAGONFLY' topo_parameters='3,4;4,3;5,1;2'");
  CHECK(count(dragonfly, VertexKind::network_switch) == 60);
  CHECK(dragonfly.cable_count() == 120 + 120 + 90 + 3);
  CHECK(dragonfly[*link_between(dragonfly, "c router1", "c router20")].bandwidth == 4 * 125e6);
}

TEST_CASE("SimGrid: a Wi-Fi cell, cabinets, peers and a backbone in a Cluster zone") {
  const Imported imported = import_text(R"(<platform version="4.1"><zone id="world" routing="Full">
  <zone id="cell" routing="Cluster"><host id="s1" speed="1f"/><host id="s2" speed="1f"/><link id="ap" sharing_policy="WIFI" bandwidth="54Mbps,36Mbps" latency="0ms"/>
    <host_link id="s1" up="ap" down="ap"/><host_link id="s2" up="ap" down="ap"/><router id="r"/></zone>
  <zone id="hall" routing="Cluster"><cabinet id="cab" prefix="h" suffix="" radical="1-3" speed="1f" bw="1GBps" lat="1us"/><backbone id="bb" bandwidth="2GBps" latency="5us"/>
    <router id="q"/></zone>
  <zone id="home" routing="Vivaldi"><peer id="p1" coordinates="1 2 3" speed="1f" bw_in="2MBps" bw_out="1MBps" lat="1ms"/></zone>
  <link id="wire" bandwidth="1GBps"/><zoneRoute src="cell" dst="hall" gw_src="r" gw_dst="q"><link_ctn id="wire"/></zoneRoute></zone></platform>)");
  REQUIRE(imported.topology);
  const Topology& topology = *imported.topology;
  CHECK(count(topology, VertexKind::host) == 6);
  CHECK(topology[*link_between(topology, "ap in", "ap out")].bandwidth == 54e6 / 8);
  CHECK(link_between(topology, "ap out", "r"));
  CHECK(topology[*link_between(topology, "hall backbone in", "hall backbone out")].bandwidth == 2e9);
  CHECK(link_between(topology, "h2", "hall backbone in"));
  CHECK(link_between(topology, "r", "q"));
  const LinkIndex up = *link_between(topology, "p1", "home centre");
  CHECK(topology[up].bandwidth == 1e6);
  CHECK(topology[reverse(up)].bandwidth == 2e6);
}

TEST_CASE("SimGrid: what is wrong or not read is said with its place") {
  const Imported imported = import_text(R"(<platform version="7"><zone id="z" routing="RuleBased">
  <host id="a" speed="1f"/><host id="a" speed="1f"/><link id="l" bandwidth="fast"/>
  <zoneRoute src="^x$" dst="y" gw_src="$1" gw_dst="b"/><cluster id="c" radical="0-1" bw="1Bps" topology="RING"/>
  <include file="other.xml"/></zone></platform>)");
  CHECK_FALSE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{
                                 "in:1:1: warning: version '7' of the format is not known (read as 4.1)",
                                 "in:2:28: error: a second 'a'",
                                 "in:2:53: error: bandwidth 'fast' or latency '' of link 'l' is not understood (such as 125MBps or 1Gbps, 50us or 0)",
                                 "in:3:56: error: topology 'RING' is not FLAT, TORUS, FAT_TREE or DRAGONFLY (cluster 'c')",
                                 "in:4:3: warning: <include> is not read",
                                 "in:3:3: warning: a route between patterns (RuleBased) is not read"});
}

TEST_CASE("A bandwidth or latency of GraphML that is no number is refused at its place") {
  for (const char* value : {"nan", "-1", "fast", "inf"}) {
    CAPTURE(value);
    const Imported imported = import_text(
        "<graphml><key id=\"b\" for=\"edge\" attr.name=\"bandwidth_Bps\"/>\n<graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"z\"/>\n"
        "<edge source=\"a\" target=\"z\"><data key=\"b\">" + std::string(value) + "</data></edge></graph></graphml>");
    CHECK_FALSE(imported.topology);
    REQUIRE(imported.findings.size() == 1);
    CHECK(imported.findings[0].find("bandwidth_Bps '" + std::string(value) + "' is not a number of at least 0") != std::string::npos);
  }
}
