#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "models/base/invariant.h"
#include "tests/support/imported_topology.h"
#include "topologies/importers/ib_fabric.h"

using namespace rackwright;
using namespace rackwright::topologies;
using namespace rackwright::test;

TEST_CASE("nvidia-smi: tabs, terminal escapes and affinity columns of a host with two H200s") {
  const Imported imported = import_shared("nvidia-smi/h200-x2.txt");
  REQUIRE(imported.topology);
  CHECK(imported.findings.empty());
  CHECK(count(*imported.topology, VertexKind::accelerator) == 2);
  CHECK(count(*imported.topology, VertexKind::processor) == 1);  // Both have NUMA node 0.
  const Link& nvlink = (*imported.topology)[*link_between(*imported.topology, "GPU0", "GPU1")];
  CHECK(nvlink.bandwidth == 18 * 25e9);
  CHECK(nvlink.lanes == 18);
}

TEST_CASE("nvidia-smi: eight GPUs joined by NV18 each go through an NVSwitch, and the NICs give the PCIe tree") {
  // Blanks instead of tabs, two GPUs and two NICs a switch, NIC rows without affinities.
  std::string text = "GPU0 GPU1 GPU2 GPU3 NIC0 NIC1 NIC2 NIC3 CPU Affinity NUMA Affinity GPU NUMA ID\n";
  for (int g = 0; g < 4; ++g) {
    text += "GPU" + std::to_string(g);
    for (int o = 0; o < 4; ++o) text += o == g ? " X " : " NV18";
    for (int n = 0; n < 4; ++n) text += n == g ? " PIX" : n / 2 == g / 2 ? " NODE" : " SYS";
    text += g < 2 ? " 0-31 0 N/A\n" : " 32-63 1 N/A\n";
  }
  for (int n = 0; n < 4; ++n) {
    text += "NIC" + std::to_string(n);
    for (int g = 0; g < 4; ++g) text += n == g ? " PIX" : n / 2 == g / 2 ? " NODE" : " SYS";
    for (int o = 0; o < 4; ++o) text += o == n ? " X " : o / 2 == n / 2 ? " NODE" : " SYS";
    text += "\n";
  }
  text += "\nLegend:\n\n  X    = Self\n  GPU9 X\n\nNIC Legend:\n\n  NIC0: mlx5_0\n";
  const Imported imported = import_text(text);
  REQUIRE(imported.topology);
  REQUIRE(imported.findings.size() == 1);
  CHECK(imported.findings[0] == "in: note: the NVLinks between every two of 4 GPUs are taken to go through NVSwitches, drawn as one");
  const Topology& topology = *imported.topology;
  CHECK(count(topology, VertexKind::scale_up_switch) == 1);
  CHECK(count(topology, VertexKind::processor) == 2);
  CHECK(count(topology, VertexKind::nic) == 4);
  // 4 GPU-NVSwitch; each pair of a GPU and its NIC under a switch, under a bridge that NODE separates from the other's.
  CHECK(cables(topology, LinkKind::nvlink) == 4);
  CHECK(cables(topology, LinkKind::socket) == 1);
  const VertexIndex shared = topology[*link_between(topology, "GPU2", "PCIeSwitch2")].to;
  CHECK(topology[*link_between(topology, "NIC2", "PCIeSwitch2")].to == shared);
}

TEST_CASE("nvidia-smi: every level of nearness is a level of the PCIe tree") {
  const Imported imported = import_text(
      "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tmlx5_0\tCPU Affinity\n"
      "GPU0\t X \tPIX\tPXB\tPHB\tSYS\tPIX\t0-7\n"
      "GPU1\tPIX\t X \tPXB\tPHB\tSYS\tPIX\t0-7\n"
      "GPU2\tPXB\tPXB\t X \tPHB\tSYS\tPXB\t0-7\n"
      "GPU3\tPHB\tPHB\tPHB\t X \tSYS\tPHB\t0-7\n"
      "GPU4\tSYS\tSYS\tSYS\tSYS\t X \tSYS\t8-15\n"
      "mlx5_0\tPIX\tPIX\tPXB\tPHB\tSYS\t X \t\n");
  REQUIRE(imported.topology);
  CHECK(imported.findings.empty());
  const Topology& topology = *imported.topology;
  // CPU0 - outer switch - inner switch - GPU0, GPU1, mlx5_0; outer - GPU2; CPU0 - GPU3; CPU1 - GPU4.
  CHECK(count(topology, VertexKind::processor) == 2);
  CHECK(count(topology, VertexKind::pcie_switch) == 2);
  CHECK(link_between(topology, "CPU0", "PCIeSwitch0"));
  CHECK(link_between(topology, "PCIeSwitch0", "PCIeSwitch1"));
  CHECK(link_between(topology, "PCIeSwitch0", "GPU2"));
  CHECK(link_between(topology, "PCIeSwitch1", "mlx5_0"));
  CHECK(link_between(topology, "CPU0", "GPU3"));
  CHECK(link_between(topology, "CPU1", "GPU4"));
}

TEST_CASE("nvidia-smi: four A100s with NV4 each are joined directly, and unequal NVLinks are kept") {
  const Imported four = import_text(
      "     GPU0 GPU1 GPU2 GPU3 CPU    Affinity\nGPU0  X   NV4  NV4  NV4  0-63\nGPU1 NV4   X   NV4  NV4  0-63\nGPU2 NV4  NV4   X   NV4  0-63\nGPU3 NV4  NV4  NV4   X   0-63\r\n");
  REQUIRE(four.topology);
  CHECK(count(*four.topology, VertexKind::scale_up_switch) == 0);
  CHECK(cables(*four.topology, LinkKind::nvlink) == 6);
  const Imported uneven = import_text("GPU0 GPU1 GPU2\nGPU0 X NV1 NV2\nGPU1 NV1 X SYS\nGPU2 NV2 SYS X");
  REQUIRE(uneven.topology);
  CHECK((*uneven.topology)[*link_between(*uneven.topology, "GPU0", "GPU2")].bandwidth == 50e9);
  CHECK_FALSE(link_between(*uneven.topology, "GPU1", "GPU2"));
}

TEST_CASE("nvidia-smi: relations that lost the gap between them are as many, and empty affinities are no relations") {
  const Imported glued = import_text(
      "        GPU0    GPU1    NIC0    NIC1       NIC2\nGPU0     X      NV18    PIX     NODENODE\nGPU1    NV18     X      NODESYS     PIX\n"
      "NIC0    PIX     NODE     X      NODENODE\nNIC1    NODE    SYS     NODE     X      NODE\nNIC2    NODEPIX     NODENODE     X\n");
  REQUIRE(glued.topology);
  CHECK(glued.findings.empty());
  CHECK(count(*glued.topology, VertexKind::nic) == 3);
  CHECK((*glued.topology)[*link_between(*glued.topology, "GPU0", "GPU1")].lanes == 18);
  CHECK(import_text("GPU0 GPU1\nGPU0 X NODEFOO\nGPU1 SYS X\n").findings.at(0) ==
        "in:2:8: error: 'NODEFOO' is not a relation (known: X, NV#, PIX, PXB, PHB, NODE, SYS)");
  // Trays of Grace and Blackwell leave the affinity of some GPUs empty.
  const Imported tray = import_text(
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tNV18\t0-71\t0\t\tN/A\nGPU1\tNV18\t X \t\t1\t\tN/A\n");
  REQUIRE(tray.topology);
  CHECK(count(*tray.topology, VertexKind::processor) == 2);
}

TEST_CASE("nvidia-smi: what is wrong is said with line and column") {
  const auto first = [](std::string_view text) {
    const Imported imported = import_text(text);
    CHECK_FALSE(imported.topology);
    REQUIRE_FALSE(imported.findings.empty());
    return imported.findings[0];
  };
  CHECK(first("GPU0 GPU1\nGPU0 X FOO\nGPU1 SYS X\n") == "in:2:8: error: 'FOO' is not a relation (known: X, NV#, PIX, PXB, PHB, NODE, SYS)");
  CHECK(first("GPU0 GPU1\nGPU0 X\n") == "in:2:6: error: row 'GPU0' has 1 of 2 relations");
  CHECK(first("GPU0 GPU1\nGPU0 SYS X\nGPU1 X SYS\n") == "in:2:6: error: 'SYS' between 'GPU0' and 'GPU0'");
  CHECK(first("GPU0 GPU1\nGPU0 X NV0\nGPU1 NV0 X\n") == "in:2:8: error: 'NV0' is not a relation (known: X, NV#, PIX, PXB, PHB, NODE, SYS)");
  CHECK(first("GPU0 GPU1\nGPU0 X SYS\nGPU0 X SYS\n") == "in:3:1: error: a second row for 'GPU0' (the first is line 2)");
  Diagnostics diagnostics;
  CHECK_FALSE(import_nvidia_smi("", "in", {}, diagnostics));
  CHECK_FALSE(import_nvidia_smi("hello\n", "in", {}, diagnostics));
  CHECK(to_string(diagnostics.all()[1]) == "in:1:1: error: no header row with GPU columns (expected the output of nvidia-smi topo -m)");
  // Rows that contradict each other are a warning.
  const Imported torn = import_text("GPU0 GPU1\nGPU0 X SYS\nGPU1 PIX X\n");
  REQUIRE(torn.topology);
  CHECK(torn.findings == std::vector<std::string>{"in:3:6: warning: 'GPU0' and 'GPU1' disagree about each other (line 2 is taken)"});
}

TEST_CASE("ibnetdiscover: the NDR fabric has 40 switches, 582 adapters of which 40 aggregate, and 1,114 cables of 400 Gb/s") {
  const Imported imported = import_shared("ibnetdiscover/example.out");
  REQUIRE(imported.topology);
  CHECK(imported.findings.empty());
  const Topology& topology = *imported.topology;
  CHECK(count(topology, VertexKind::network_switch) == 40);
  CHECK(count(topology, VertexKind::aggregation_node) == 40);
  CHECK(count(topology, VertexKind::nic) == 542);
  // 1,064 switch-switch port lines are 532 cables, and 582 switch-adapter ones are one each.
  CHECK(topology.cable_count() == 532 + 582);
  CHECK(std::ranges::all_of(topology.links(), [](const Link& link) { return link.bandwidth == 50e9 && link.kind == LinkKind::infiniband; }));
  CHECK(std::ranges::all_of(topology.vertices(), [](const Vertex& v) { return v.kind != VertexKind::network_switch || v.reduces; }));
  // 31 leaves by name, 9 spines.
  for (const Vertex& vertex : topology.vertices())
    if (vertex.kind == VertexKind::network_switch) CHECK(vertex.tier == (vertex.name.find("IBLEAF") != std::string::npos ? 1 : 2));
  // Descriptions name the host and the rail; generic ones leave both open.
  const VertexIndex nic = topology.find("a08-p1-dgx-04-c01 mlx5_5").value();
  CHECK(topology[topology[nic].in(DomainKind::host)].name == "a08-p1-dgx-04-c01");
  CHECK(topology[topology[nic].in(DomainKind::rail)].name == "mlx5_5");
  CHECK(std::ranges::count_if(topology.vertices(), [](const Vertex& v) { return v.name.find("MT4129") != std::string::npos && v.in(DomainKind::host) == no_domain; }) == 69);
  CHECK(topology.find("A09-P1-IBLEAF-04-04"));
  // Ports are those of the file: leaf port 35 goes to spine port 32.
  const LinkIndex up = link_between(topology, "A09-P1-IBLEAF-04-04", "A10-P1-IBSPINE-02").value();
  CHECK(topology[up].from_port == 35);
  CHECK(topology[up].to_port == 32);
}

TEST_CASE("ibnetdiscover: an adapter without links, unequal widths, a missing peer and odd lines are survived") {
  const Imported imported = import_text(
      "#\n# Topology file: generated on Fri\n#\n# Max of 3 hops discovered\n# Initiated from node 2c90\n\n"
      "Non-Chassis Nodes\n\n"
      "vendid=0x2c9\ndevid=0xb924\nsysimgguid=0x1\nswitchguid=0xa(a)\n"
      "Switch\t36 \"S-a\"\t\t# \"leaf \"one\" A\" enhanced port 0 lid 3 lmc 0\n"
      "[1]\t\"H-1\"[1](1) \t\t# \"node1 mlx5_0\" lid 4 4xEDR\n"
      "[2]\t\"S-b\"[1]\t\t# \"leaf B\" lid 9 4xDDR\n"
      "[3][ext 7]\t\"S-b\"[2]\t\t# \"leaf B\" lid 9 2xNDR\n"
      "[4]\t\"H-9\"[1](9) \t\t# \"gone HCA-1\" lid 8 4xSDR\n\n"
      "switchguid=0xb(b)\n"
      "Switch\t36 \"S-b\"\t\t# \"leaf B\" enhanced port 0 lid 9 lmc 0\n"
      "[1]\t\"S-a\"[2]\t\t# \"leaf A\" lid 3 4xDDR\n"
      "[2]\t\"S-a\"[3]\t\t# \"leaf A\" lid 3 1xNDR\n\n"
      "caguid=0x1\nCa\t1 \"H-1\"\t\t# \"node1 mlx5_0\"\n[1](1) \t\"S-a\"[1]\t\t# lid 4 lmc 0 \"leaf A\" lid 3 4xEDR\n\n"
      "caguid=0x5\nCa\t1 \"H-5\"\t\t# \"dgx-gb200-n01-c1 HCA-1\"");
  REQUIRE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{
                                 "in:17:1: warning: 'H-9' has no block of its own",
                                 "in:22:1: warning: the ends of this cable disagree about its width or speed (line 16 is taken)"});
  const Topology& topology = *imported.topology;
  CHECK(topology.vertex_count() == 5);
  CHECK(topology.cable_count() == 4);
  CHECK(topology.out_links(topology.find("dgx-gb200-n01-c1 HCA-1").value()).empty());
  // 4 lanes of EDR at 25 Gb/s; 4 of DDR at 4 Gb/s after coding; 2 of NDR at 100 Gb/s.
  CHECK(topology.links()[0].bandwidth == 12.5e9);
  CHECK(topology.links()[2].bandwidth == 2e9);
  CHECK(topology.links()[4].bandwidth == 25e9);
}

TEST_CASE("ibnetdiscover: indented blocks without guids, and speeds that only one end or none has") {
  const Imported imported = import_text(
      "  Switch  41 \"S-a\"  # \"MF0;leaf-01:MQM8700/U1\" enhanced port 0 lid 1\n  [1]  \"H-1\"[1]    # \"node01 HCA-1\" lid 2 4xHDR\n"
      "  [2]  \"H-2\"[1]    # \"node02 HCA-1\" lid 3\n\n  Ca  2 \"H-1\"  # \"node01 HCA-1\"\n  [1]  \"S-a\"[1]    # lid 1\n"
      "  Ca  2 \"H-2\"  # \"node02 HCA-1\"\n  [1]  \"S-a\"[2]    # lid 1\n");
  REQUIRE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{"in: warning: 1 cables have no width and speed such as 4xNDR (taken as 12.5 GB/s)"});
  CHECK(imported.topology->links()[0].bandwidth == 25e9);
  CHECK(imported.topology->find("leaf-01"));
}

TEST_CASE("nvidia-smi: a GPU with some NVLinks down still goes through the switch, with those it has") {
  const Imported imported = import_text(
      "GPU0 GPU1 GPU2 CPU Affinity NUMA Affinity GPU NUMA ID\nGPU0 X NV16 NV16 0-3 0 N/A\nGPU1 NV16 X NV18 0-3 0 N/A\nGPU2 NV16 NV18 X 0-3 0 N/A\n");
  REQUIRE(imported.topology);
  CHECK((*imported.topology)[*link_between(*imported.topology, "GPU0", "NVSwitch")].lanes == 16);
  CHECK((*imported.topology)[*link_between(*imported.topology, "GPU2", "NVSwitch")].lanes == 18);
}

TEST_CASE("ibnetdiscover: two machines that call themselves localhost are not one host") {
  const Imported imported = import_text(
      "switchguid=0xa\nSwitch\t36 \"S-a\"\t# \"leaf\"\n[1] \"H-1\"[1] # \"localhost HCA-1\" lid 1 4xHDR\n[2] \"H-2\"[1] # \"localhost HCA-1\" lid 2 4xHDR\n"
      "Ca\t1 \"H-1\"\t# \"localhost HCA-1\"\n[1] \"S-a\"[1] # lid 1 lmc 0 \"leaf\" lid 3 4xHDR\n"
      "Ca\t1 \"H-2\"\t# \"localhost HCA-1\"\n[1] \"S-a\"[2] # lid 2 lmc 0 \"leaf\" lid 3 4xHDR\n");
  REQUIRE(imported.topology);
  CHECK(imported.findings.size() == 2);
  CHECK(std::ranges::count(imported.topology->domains(), DomainKind::host, &FailureDomain::kind) == 0);
  CHECK(imported.topology->find("localhost HCA-1 H-2"));
}

TEST_CASE("ibnetdiscover: what is wrong is said with its line") {
  const Imported imported = import_text("caguid=0x1\n[1] \"S-a\"[1] # 4xNDR\nCa\t1\nSwitch\t2 \"S-a\" # \"a\"\n[x] \"S-a\"[1]\n[1] \"S-b\"[1] # \"b\" lid 3\n");
  CHECK_FALSE(imported.topology);
  CHECK(imported.findings == std::vector<std::string>{
                                 "in:2:1: error: a port before any node",
                                 "in:3:1: error: not a node line (expected Switch|Ca|Rt PORTS \"ID\" # \"DESCRIPTION\")",
                                 "in:5:1: error: not a port line (expected [PORT] \"PEER\"[PORT] # … WIDTHxSPEED)"});
}

TEST_CASE("InfiniBand names of width and speed are data rates") {
  CHECK(ib_bandwidth("4xSDR") == 1e9);
  CHECK(ib_bandwidth("4xQDR") == 4e9);
  CHECK(ib_bandwidth("4xHDR") == 25e9);
  CHECK(ib_bandwidth("2xNDR") == 25e9);
  CHECK(ib_bandwidth("4xXDR") == 100e9);
  CHECK(ib_bandwidth("4x") == 0);
  CHECK(ib_bandwidth("xNDR") == 0);
  CHECK(ib_bandwidth("99999999999xNDR") == 0);
  CHECK(ib_bandwidth("0x0002") == 0);
}

TEST_CASE("A format is known by its content, and an unknown one is said") {
  CHECK(detect_topology_format("\xef\xbb\xbf<?xml version='1.0'?>\n<!-- <platform> --><!DOCTYPE graphml>\n<graphml/>") == TopologyFormat::graphml);
  CHECK(detect_topology_format("<platform version='4'/>") == TopologyFormat::simgrid);
  CHECK_FALSE(detect_topology_format("hosts: 4"));
  CHECK_FALSE(detect_topology_format(""));
  CHECK_FALSE(detect_topology_format("<!-- never closed"));
  for (const auto format : {TopologyFormat::nvidia_smi, TopologyFormat::ibnetdiscover, TopologyFormat::nccl_xml, TopologyFormat::graphml, TopologyFormat::simgrid})
    CHECK(parse_topology_format(to_string(format)) == format);
  Diagnostics diagnostics;
  CHECK_THROWS_AS(import_topology_file("/nowhere/topology.xml", {}, diagnostics), EnvironmentError);
}

TEST_CASE("A topology that is no regular file is refused") {
  for (const char* path : {"/tmp", "/dev/zero"}) {
    Diagnostics diagnostics;
    CHECK_FALSE(import_topology_file(path, {}, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].message == "a topology must be a regular file");
  }
}
