#include "topologies/importers/nvidia_smi.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "models/base/diagnostic.h"
#include "topologies/graph/topology_builder.h"
#include "topologies/importers/relation_matrix.h"
#include "topologies/importers/union_find.h"

namespace rackwright::topologies {

namespace {

class MatrixTopology {
 public:
  MatrixTopology(const RelationMatrix& matrix, const NvidiaSmiParameters& parameters, ImportReport& report)
      : matrix_(matrix), p_(parameters), report_(report), host_(builder_.domain(DomainKind::host, "host")) {}

  Topology build() {
    add_devices();
    add_tree();
    add_nvlinks();
    return builder_.build();
  }

 private:
  void add_devices() {
    for (const RelationMatrix::Device& device : matrix_.devices) {
      Vertex vertex;
      vertex.name = device.name;
      vertex.kind = device.is_gpu ? VertexKind::accelerator : VertexKind::nic;
      vertex.forwarding = device.is_gpu ? Forwarding::never : Forwarding::within_host;
      vertex.in(DomainKind::host) = host_;
      devices_.push_back(builder_.add(std::move(vertex)));
    }
  }

  /// The devices at most `nearness` apart, by the smallest of their set.
  UnionFind sets(Nearness nearness) {
    UnionFind sets(devices_.size());
    for (std::size_t a = 0; a < devices_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const bool near = matrix_.at(a, b).nearness <= nearness;
        if (near || (nearness == Nearness::node && same_affinity(matrix_.devices[a], matrix_.devices[b]))) sets.unite(a, b);
      }
    return sets;
  }

  static bool same_affinity(const RelationMatrix::Device& a, const RelationMatrix::Device& b) {
    if (!a.numa_affinity.empty() && !b.numa_affinity.empty() && a.numa_affinity != "N/A") return a.numa_affinity == b.numa_affinity;
    return !a.cpu_affinity.empty() && a.cpu_affinity == b.cpu_affinity;
  }

  VertexIndex add_inside(std::string_view name, VertexKind kind) {
    Vertex vertex;
    vertex.name = builder_.unique_name(name);
    vertex.kind = kind;
    vertex.forwarding = Forwarding::within_host;
    vertex.in(DomainKind::host) = host_;
    return builder_.add(std::move(vertex));
  }

  /// One processor a NUMA node, a bridge for each of its host bridges where it has several, a switch for each set that
  /// shares one. A set of the same devices as the level below it adds nothing.
  void add_tree() {
    const LinkSpec pcie{p_.pcie_bandwidth, p_.pcie_latency_s, LinkKind::pcie, Cable::board};
    const LinkSpec socket{p_.socket_bandwidth, p_.pcie_latency_s, LinkKind::socket, Cable::board};
    UnionFind nodes = sets(Nearness::node);
    UnionFind bridges = sets(Nearness::phb);
    UnionFind outer = sets(Nearness::pxb);
    UnionFind inner = sets(Nearness::pix);

    std::map<std::size_t, VertexIndex> processor;
    std::map<std::size_t, VertexIndex> bridge;
    std::map<std::size_t, VertexIndex> switches[2];
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const std::size_t node = nodes.find(d);
      if (!processor.contains(node)) {
        const VertexIndex added = add_inside(fmt::format("CPU{}", processor.size()), VertexKind::processor);
        for (const auto& [other, vertex] : processor) builder_.connect(vertex, added, socket);
        processor.emplace(node, added);
      }
      VertexIndex parent = processor.at(node);
      // Every level with more than one member that the level above does not hold alone.
      const std::array<UnionFind*, 4> levels{&nodes, &bridges, &outer, &inner};
      for (std::size_t level = 1; level < levels.size(); ++level) {
        const std::size_t set = levels[level]->find(d);
        const bool is_switch = level >= 2;
        const bool several = size(*levels[level], set) > 1;
        const bool splits = size(*levels[level - 1], levels[level - 1]->find(d)) > size(*levels[level], set);
        if (!several || (!is_switch && !splits) || (is_switch && level == 2 && size(inner, inner.find(d)) == size(outer, set))) continue;
        auto& made = is_switch ? switches[level - 2] : bridge;
        if (!made.contains(set)) {
          made.emplace(set, add_inside(is_switch ? fmt::format("PCIeSwitch{}", switch_count_++) : fmt::format("HostBridge{}", made.size()),
                                       VertexKind::pcie_switch));
          builder_.connect(parent, made.at(set), pcie);
        }
        parent = made.at(set);
      }
      builder_.connect(parent, devices_[d], pcie);
    }
  }

  std::size_t size(UnionFind& sets, std::size_t set) const {
    std::size_t members = 0;
    for (std::size_t d = 0; d < devices_.size(); ++d) members += sets.find(d) == set;
    return members;
  }

  void add_nvlinks() {
    std::vector<std::size_t> gpus;
    UnionFind islands(devices_.size());
    int most_per_gpu = 0;
    bool all_pairs = true;
    for (std::size_t a = 0; a < devices_.size(); ++a) {
      if (!matrix_.devices[a].is_gpu) continue;
      gpus.push_back(a);
      int links = 0;
      for (std::size_t b = 0; b < devices_.size(); ++b) {
        if (a == b || !matrix_.devices[b].is_gpu) continue;
        links += matrix_.at(a, b).nvlinks;
        all_pairs = all_pairs && matrix_.at(a, b).nvlinks > 0;
        if (matrix_.at(a, b).nvlinks > 0) islands.unite(a, b);
      }
      most_per_gpu = std::max(most_per_gpu, links);
    }
    if (most_per_gpu == 0) return;
    std::map<std::size_t, int> members;
    for (const std::size_t gpu : gpus) ++members[islands.find(gpu)];
    for (const std::size_t gpu : gpus)
      if (const std::size_t island = islands.find(gpu); members[island] > 1)
        builder_[devices_[gpu]].in(DomainKind::island) = builder_.domain(DomainKind::island, matrix_.devices[island].name);

    if (most_per_gpu > p_.links_per_gpu && !all_pairs)
      report_.warning(0, 0, fmt::format("a GPU would have {} NVLinks, more than {}", most_per_gpu, p_.links_per_gpu),
                      "links are taken to be direct because not all pairs have some");
    if (most_per_gpu > p_.links_per_gpu && all_pairs)
      add_nvswitch(gpus);
    else
      add_direct_links(gpus);
  }

  /// Each GPU has as many links to the switches as it shows to any peer; a pair shows the fewer of its two.
  void add_nvswitch(const std::vector<std::size_t>& gpus) {
    report_.note(0, 0, fmt::format("the NVLinks between every two of {} GPUs are taken to go through NVSwitches, drawn as one", gpus.size()));
    Vertex vertex;
    vertex.name = builder_.unique_name("NVSwitch");
    vertex.kind = VertexKind::scale_up_switch;
    vertex.in(DomainKind::host) = host_;
    vertex.in(DomainKind::island) = builder_[devices_[gpus.front()]].in(DomainKind::island);
    const VertexIndex through = builder_.add(std::move(vertex));
    for (const std::size_t gpu : gpus) {
      int links = 0;
      for (const std::size_t peer : gpus) links = std::max(links, peer == gpu ? 0 : matrix_.at(gpu, peer).nvlinks);
      builder_.connect(devices_[gpu], through, nvlinks(links));
    }
  }

  void add_direct_links(const std::vector<std::size_t>& gpus) {
    for (const std::size_t a : gpus)
      for (const std::size_t b : gpus)
        if (const int links = matrix_.at(a, b).nvlinks; a < b && links > 0) builder_.connect(devices_[a], devices_[b], nvlinks(links));
  }

  LinkSpec nvlinks(int links) const {
    return {links * p_.nvlink_bandwidth, p_.nvlink_latency_s, LinkKind::nvlink, Cable::unknown, static_cast<std::uint16_t>(links)};
  }

  const RelationMatrix& matrix_;
  const NvidiaSmiParameters& p_;
  ImportReport& report_;
  TopologyBuilder builder_;
  DomainIndex host_;
  std::vector<VertexIndex> devices_;
  int switch_count_ = 0;
};

}  // namespace

std::optional<Topology> import_nvidia_smi(std::string_view text, std::string_view file, const NvidiaSmiParameters& parameters,
                                          Diagnostics& diagnostics) {
  ImportReport report(file, diagnostics);
  const RelationMatrix matrix = read_relation_matrix(text, report);
  if (report.has_errors()) return std::nullopt;
  return MatrixTopology(matrix, parameters, report).build();
}

bool is_nvidia_smi(std::string_view text) {
  Diagnostics unheard;
  ImportReport report({}, unheard);
  return !read_relation_matrix(text, report).devices.empty();
}

}  // namespace rackwright::topologies
