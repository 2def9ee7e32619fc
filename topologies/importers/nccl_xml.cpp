#include "topologies/importers/nccl_xml.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "topologies/graph/topology_builder.h"
#include "topologies/importers/text_lines.h"
#include "topologies/importers/union_find.h"
#include "topologies/importers/xml_element.h"

namespace rackwright::topologies {

namespace {

/// Bus ids are hexadecimal numbers: dumps of one file write them in either case.
std::string bus_key(std::string_view bus) {
  std::string key(bus);
  for (char& c : key)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  return key;
}

/// The class of a PCI function without its last byte: 0x0302 of "0x030200"; 0 if there is none.
unsigned pci_class(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value >> 8;
}

bool is_gpu_class(unsigned value) { return value == 0x0302 || value == 0x0300 || value == 0x0380 || value == 0x1200; }
bool is_nic_class(unsigned value) { return value == 0x0200 || value == 0x0207; }
bool is_bridge_class(unsigned value) { return value == 0x0604; }
bool is_nvswitch_class(unsigned value) { return value == 0x0680; }

const XmlElement* child(const XmlElement& element, std::string_view name) {
  const auto place = std::ranges::find(element.children, name, &XmlElement::name);
  return place == element.children.end() ? nullptr : &*place;
}

/// An nvlink or xgmi element, kept until every GPU is known.
struct ScaleUpLink {
  VertexIndex from;
  std::string target;
  unsigned target_class = 0;
  int count = 0;
  double bandwidth = 0;
  LinkKind kind = LinkKind::nvlink;
  int line = 0;
  int column = 0;
};

class NcclTopology {
 public:
  NcclTopology(const NcclXmlParameters& parameters, ImportReport& report) : p_(parameters), report_(report) {}

  Topology build(const XmlElement& system) {
    for (const XmlElement& element : system.children) {
      if (element.name == "cpu")
        add_cpu(element);
      else
        ignore(element);
    }
    join_processors();
    add_scale_up_links();
    if (unknown_devices_ > 0) report_.note(0, 0, fmt::format("{} PCI devices have no class; they are nodes of unknown kind", unknown_devices_));
    if (unknown_speeds_ > 0)
      report_.note(0, 0, fmt::format("{} PCI links have no speed or no width; {} GT/s and {} lanes are taken, as NCCL does", unknown_speeds_,
                                     p_.default_pcie_gt_s, p_.default_pcie_lanes));
    return builder_.build();
  }

 private:
  VertexIndex add(std::string_view name, VertexKind kind, Forwarding forwarding) {
    Vertex vertex;
    vertex.name = builder_.unique_name(name);
    vertex.kind = kind;
    vertex.forwarding = forwarding;
    vertex.in(DomainKind::host) = host_;
    return builder_.add(std::move(vertex));
  }

  void add_cpu(const XmlElement& cpu) {
    // Files of several hosts (multi-node NVLink) tell them apart by a hash.
    const std::string_view hash = cpu.get("host_hash");
    host_ = builder_.domain(DomainKind::host, hash.empty() ? "host" : fmt::format("host {}", hash));
    const VertexIndex processor = add(fmt::format("cpu{}", cpu.get("numaid", "?")), VertexKind::processor, Forwarding::within_host);
    processors_[host_.value].push_back(processor);
    for (const XmlElement& element : cpu.children) {
      if (element.name == "pci")
        add_pci(element, processor);
      else if (element.name == "nic")
        add_nets(element, processor, std::nullopt);
      else
        ignore(element);
    }
  }

  void add_pci(const XmlElement& pci, VertexIndex parent) {
    const unsigned kind = pci_class(pci.get("class"));
    const std::string_view bus = pci.get("busid", "?");
    const XmlElement* gpu = child(pci, "gpu");
    const XmlElement* nic = child(pci, "nic");
    const bool has_children = child(pci, "pci") != nullptr;
    VertexIndex vertex;
    if (gpu != nullptr || (is_gpu_class(kind) && !has_children)) {
      vertex = add(gpu != nullptr && gpu->find("dev") != nullptr ? fmt::format("gpu{}", gpu->get("dev")) : fmt::format("gpu {}", bus),
                   VertexKind::accelerator, Forwarding::never);
    } else if (nic != nullptr && !has_children) {
      add_nets(*nic, parent, link_of(pci));
      return;
    } else if (is_nic_class(kind) && !has_children) {
      vertex = add(fmt::format("nic {}", bus), VertexKind::nic, Forwarding::within_host);
    } else if (is_nvswitch_class(kind)) {
      vertex = add_switch_vertex(bus);
    } else if (has_children || is_bridge_class(kind)) {
      vertex = add(fmt::format("pci {}", bus), VertexKind::pcie_switch, Forwarding::within_host);
    } else {
      vertex = add(fmt::format("pci {}", bus), VertexKind::node, Forwarding::never);
      ++unknown_devices_;
    }
    if (pci.find("busid") != nullptr && !by_bus_.emplace(bus_key(bus), vertex).second)
      report_.warning(pci.line, pci.column, fmt::format("bus id '{}' is used twice", bus));
    builder_.connect(parent, vertex, link_of(pci));
    for (const XmlElement& element : pci.children) {
      if (element.name == "pci")
        add_pci(element, vertex);
      else if (element.name == "gpu" && &element != gpu)
        report_.warning(element.line, element.column, "several GPUs on one PCI function are taken as the first of them");
      else if (element.name == "gpu")
        add_gpu(element, vertex);
      else if (element.name == "nic")
        add_nets(element, vertex, std::nullopt);
      else
        ignore(element);
    }
  }

  LinkSpec link_of(const XmlElement& pci) {
    const std::optional<double> transfers = pcie_transfers(pci.get("link_speed"));
    const long width = to_integer(pci.get("link_width")).value_or(0);
    const bool has_width = width > 0 && width <= 64;
    if (!transfers || !has_width) ++unknown_speeds_;
    const double bandwidth = pcie_bandwidth(transfers.value_or(p_.default_pcie_gt_s), has_width ? static_cast<int>(width) : p_.default_pcie_lanes);
    return {bandwidth, p_.pcie_latency_s, LinkKind::pcie, Cable::board};
  }

  /// One NIC for each port: at the PCIe link of its function, or, if that has several, at the speed of its own network.
  void add_nets(const XmlElement& nic, VertexIndex parent, std::optional<LinkSpec> link) {
    std::size_t nets = 0;
    for (const XmlElement& net : nic.children) nets += net.name == "net";
    if (nets > 1 && link) {
      const VertexIndex function = add("nic ports", VertexKind::pcie_switch, Forwarding::within_host);
      builder_.connect(parent, function, *link);
      parent = function;
      link.reset();
    }
    for (const XmlElement& net : nic.children) {
      if (net.name != "net") {
        ignore(net);
        continue;
      }
      const std::string_view name = net.get("name");
      const VertexIndex port = add(name.empty() ? "net" : name, VertexKind::nic, Forwarding::within_host);
      const double megabits = std::max(to_number(net.get("speed")).value_or(0), 0.0);
      if (!link && megabits == 0) report_.warning(net.line, net.column, "this network has no speed");
      builder_.connect(parent, port, link.value_or(LinkSpec{megabits * 1e6 / 8, p_.pcie_latency_s, LinkKind::pcie, Cable::board}));
    }
  }

  void add_gpu(const XmlElement& gpu, VertexIndex vertex) {
    for (const XmlElement& link : gpu.children) {
      if (link.name == "c2c") {
        add_c2c(link, vertex);
        continue;
      }
      if (link.name != "nvlink" && link.name != "xgmi") {
        ignore(link);
        continue;
      }
      const bool is_nvlink = link.name == "nvlink";
      const long count = to_integer(link.get("count")).value_or(0);
      if (count < 1 || count > 255 || link.find("target") == nullptr) {
        report_.error(link.line, link.column, fmt::format("<{}> needs a target and a count from 1 to 255", link.name));
        continue;
      }
      // Infinity Fabric carries traffic over several hops; NVLink without a switch does not.
      if (!is_nvlink) builder_[vertex].forwarding = Forwarding::always;
      scale_up_.push_back({vertex, bus_key(*link.find("target")), pci_class(link.get("tclass")), static_cast<int>(count),
                           is_nvlink ? nvlink_bandwidth(gpu) : xgmi_bandwidth(gpu), is_nvlink ? LinkKind::nvlink : LinkKind::xgmi, link.line, link.column});
    }
  }

  /// NCCL writes the bandwidth of one C2C link in MB/s (src/graph/topo.cc, ncclTopoAddC2c).
  void add_c2c(const XmlElement& c2c, VertexIndex gpu) {
    const double bandwidth = to_number(c2c.get("bw")).value_or(0) * to_number(c2c.get("count", "1")).value_or(0) * 1e6;
    if (bandwidth <= 0) {
      report_.error(c2c.line, c2c.column, "<c2c> needs a bw and a count above 0");
      return;
    }
    builder_.connect(processors_.at(host_.value).back(), gpu, {bandwidth, p_.scale_up_latency_s, LinkKind::c2c, Cable::board});
  }

  double nvlink_bandwidth(const XmlElement& gpu) const {
    return to_integer(gpu.get("sm")).value_or(0) >= 100 ? p_.nvlink5_bandwidth : p_.nvlink_bandwidth;
  }

  /// "906", "910", "gfx942", "90a".
  double xgmi_bandwidth(const XmlElement& gpu) const {
    std::string_view gcn = gpu.get("gcn");
    if (gcn.starts_with("gfx")) gcn.remove_prefix(3);
    if (gcn.starts_with("94")) return p_.xgmi_mi300_bandwidth;
    if (gcn.starts_with("95")) return p_.xgmi_mi350_bandwidth;
    return gcn.starts_with("910") || gcn.starts_with("90a") ? p_.xgmi_mi200_bandwidth : p_.xgmi_bandwidth;
  }

  void join_processors() {
    for (const auto& [host, processors] : processors_)
      for (std::size_t a = 0; a < processors.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          builder_.connect(processors[b], processors[a], {p_.socket_bandwidth, p_.pcie_latency_s, LinkKind::socket, Cable::board});
  }

  void add_scale_up_links() {
    std::map<std::pair<VertexIndex, VertexIndex>, const ScaleUpLink*> from_one_end;
    std::vector<std::pair<VertexIndex, VertexIndex>> joined;
    for (const ScaleUpLink& link : scale_up_) {
      const VertexIndex* found = by_bus_.contains(link.target) ? &by_bus_.at(link.target) : nullptr;
      if (found == nullptr && is_nvswitch_class(link.target_class)) found = &add_nvswitch(link.target);
      if (found == nullptr || *found == link.from) {
        report_.warning(link.line, link.column,
                        found == nullptr ? fmt::format("no GPU or switch has the bus id '{}'", link.target) : std::string("this link leads to its own GPU"),
                        "it is left out");
        continue;
      }
      const VertexIndex to = *found;
      // GPUs write a link at both ends; switches are written at the GPU only.
      const auto other = from_one_end.find({to, link.from});
      if (other != from_one_end.end()) {
        if (other->second->count != link.count)
          report_.warning(link.line, link.column, "the ends of this link disagree about its count", fmt::format("line {} is taken", other->second->line));
        continue;
      }
      if (!from_one_end.emplace(std::pair(link.from, to), &link).second) {
        report_.warning(link.line, link.column, "a second link to the same target is left out");
        continue;
      }
      builder_.connect(link.from, to, {link.count * link.bandwidth, p_.scale_up_latency_s, link.kind, Cable::unknown, static_cast<std::uint16_t>(link.count)});
      joined.emplace_back(link.from, to);
    }
    mark_islands(joined);
  }

  VertexIndex add_switch_vertex(std::string_view bus) {
    const VertexIndex vertex = add(fmt::format("nvswitch {}", bus), VertexKind::scale_up_switch, Forwarding::always);
    builder_[vertex].in(DomainKind::plane) = builder_.domain(DomainKind::plane, fmt::format("nvswitch {}", bus));
    return vertex;
  }

  const VertexIndex& add_nvswitch(const std::string& bus) { return by_bus_.emplace(bus, add_switch_vertex(bus)).first->second; }

  void mark_islands(const std::vector<std::pair<VertexIndex, VertexIndex>>& joined) {
    UnionFind sets(builder_.vertex_count());
    for (const auto& [a, b] : joined) sets.unite(a.value, b.value);
    for (const auto& [a, b] : joined)
      for (const VertexIndex v : {a, b})
        builder_[v].in(DomainKind::island) =
            builder_.domain(DomainKind::island, builder_[VertexIndex{static_cast<std::uint32_t>(sets.find(v.value))}].name);
  }

  void ignore(const XmlElement& element) {
    report_.warning(element.line, element.column, fmt::format("<{}> is not understood here and left out", element.name));
  }

  const NcclXmlParameters& p_;
  ImportReport& report_;
  TopologyBuilder builder_;
  DomainIndex host_;
  std::map<std::uint32_t, std::vector<VertexIndex>> processors_;  ///< By host.
  std::unordered_map<std::string, VertexIndex> by_bus_;
  std::vector<ScaleUpLink> scale_up_;
  int unknown_devices_ = 0;
  int unknown_speeds_ = 0;
};

}  // namespace

std::optional<double> pcie_transfers(std::string_view link_speed) {
  const std::optional<double> transfers = to_number(link_speed.substr(0, link_speed.find(' ')));
  if (!transfers || *transfers <= 0 || *transfers > 1000) return std::nullopt;
  return transfers;
}

double pcie_bandwidth(double gt_s, int lanes) {
  // PCI-SIG: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, 242 of 256 flit bytes beyond.
  const double efficiency = gt_s <= 5 ? 0.8 : gt_s <= 32 ? 128.0 / 130 : 242.0 / 256;
  return gt_s * 1e9 / 8 * efficiency * lanes;
}

std::optional<Topology> import_nccl_xml(std::string_view text, std::string_view file, const NcclXmlParameters& parameters,
                                        Diagnostics& diagnostics) {
  ImportReport report(file, diagnostics);
  const std::optional<XmlElement> root = parse_xml(text, report);
  if (!root) return std::nullopt;
  if (root->name != "system") {
    report.error(root->line, root->column, fmt::format("<{}> is not a topology", root->name),
                 root->name == "graphs" ? "this is NCCL's graph file (NCCL_GRAPH_FILE); the topology file starts with <system>" : "expected <system>");
    return std::nullopt;
  }
  const std::string_view version = root->get("version");
  if (version != "1" && version != "2") report.warning(root->line, root->column, fmt::format("version '{}' of the format is not known", version));
  Topology topology = NcclTopology(parameters, report).build(*root);
  if (topology.vertex_count() == 0) report.error(root->line, root->column, "the system has no <cpu>");
  if (report.has_errors()) return std::nullopt;
  return topology;
}

}  // namespace rackwright::topologies
