#include "topologies/importers/simgrid_cluster.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "topologies/importers/simgrid_units.h"

namespace rackwright::topologies {

namespace {

constexpr std::size_t most_hosts = 500'000;
constexpr double most_cables = 4e6;

class ClusterWiring {
 public:
  ClusterWiring(TopologyBuilder& builder, const XmlElement& cluster, ImportReport& report)
      : builder_(builder), cluster_(cluster), report_(report), id_(cluster.get("id")) {}

  void run() {
    const auto names = simgrid_host_names(cluster_, report_);
    const std::optional<LinkSpec> link = spec("bw", "lat");
    if (!names || !link) return;
    link_ = *link;
    for (const std::string& name : *names) {
      if (builder_.has(name)) return fail(fmt::format("a second host '{}'", name));
      hosts_.push_back(add_simgrid_vertex(builder_, name, VertexKind::host, id_));
    }
    const std::string_view topology = cluster_.get("topology", "FLAT");
    if (topology == "FLAT")
      flat();
    else if (topology == "TORUS")
      torus();
    else if (topology == "FAT_TREE")
      fat_tree();
    else if (topology == "DRAGONFLY")
      dragonfly();
    else
      fail(fmt::format("topology '{}' is not FLAT, TORUS, FAT_TREE or DRAGONFLY", topology));
  }

 private:
  void fail(std::string message) { report_.error(cluster_.line, cluster_.column, std::move(message), fmt::format("cluster '{}'", id_)); }

  std::optional<LinkSpec> spec(std::string_view bandwidth, std::string_view latency) {
    const auto rate = simgrid_bandwidth(cluster_.get(bandwidth));
    const auto time = simgrid_time(cluster_.get(latency, "0"));
    if (!rate || !time) {
      fail(fmt::format("{} '{}' or {} '{}' is not understood", bandwidth, cluster_.get(bandwidth), latency, cluster_.get(latency)));
      return std::nullopt;
    }
    return LinkSpec{*rate, *time, LinkKind::other, Cable::unknown};
  }

  VertexIndex add_switch(std::string name) {
    return add_simgrid_vertex(builder_, builder_.unique_name(name), VertexKind::network_switch, id_);
  }

  LinkSpec times(int cables) const {
    LinkSpec spec = link_;
    spec.bandwidth *= cables;
    return spec;
  }

  void flat() {
    const std::string router_name =
        cluster_.find("router_id") != nullptr ? *cluster_.find("router_id") : fmt::format("{}{}_router{}", cluster_.get("prefix"), id_, cluster_.get("suffix"));
    if (builder_.has(router_name)) return fail(fmt::format("a second router '{}'", router_name));
    const VertexIndex router = add_simgrid_vertex(builder_, router_name, VertexKind::network_switch, id_);
    if (cluster_.find("bb_bw") == nullptr) {
      for (const VertexIndex host : hosts_) builder_.connect(host, router, link_);
      return;
    }
    const std::optional<LinkSpec> backbone = spec("bb_bw", "bb_lat");
    if (!backbone) return;
    const VertexIndex in = add_switch(std::string(id_) + " backbone in");
    const VertexIndex out = add_switch(std::string(id_) + " backbone out");
    builder_.connect_asymmetric(in, out, *backbone, 0);
    for (const VertexIndex host : hosts_) {
      builder_.connect_asymmetric(host, in, link_, 0);
      builder_.connect_asymmetric(out, host, link_, 0);
    }
    LinkSpec free_of_delay = *backbone;
    free_of_delay.latency_s = 0;
    builder_.connect_asymmetric(router, in, free_of_delay, 0);
    builder_.connect_asymmetric(out, router, free_of_delay, 0);
  }

  /// Every node has a link to the next in each dimension, around at the end; two in a dimension of two.
  void torus() {
    const auto sizes = simgrid_list(cluster_.get("topo_parameters"), ',');
    if (!sizes || product(*sizes) != static_cast<double>(hosts_.size()))
      return fail(fmt::format("a torus of '{}' does not have {} hosts", cluster_.get("topo_parameters"), hosts_.size()));
    std::size_t stride = 1;
    for (const int size : *sizes) {
      const auto n = static_cast<std::size_t>(size);
      for (std::size_t i = 0; i < hosts_.size() && n > 1; ++i) {
        const std::size_t along = i / stride % n;
        builder_.connect(hosts_[i], hosts_[i - along * stride + (along + 1) % n * stride], link_);
      }
      stride *= n;
    }
    if (sizes->size() > 3 || hosts_.empty()) return;
    Grid grid{hosts_.front(), {1, 1, 1}, {true, true, true}};
    for (std::size_t d = 0; d < sizes->size(); ++d) grid.size[d] = (*sizes)[d];
    builder_.add_grid(grid);
  }

  static double product(const std::vector<int>& numbers) {
    double all = 1;
    for (const int number : numbers) all *= number;
    return all;
  }

  /// "LEVELS;DOWN,…;UP,…;PARALLEL,…", a parallel-ports generalized fat-tree (Zahavi 2010). A switch of level l is named by
  /// its digits: which of UP for levels up to l, which of DOWN above; it is joined to those that differ in digit l alone.
  void fat_tree() {
    const auto parts = split(cluster_.get("topo_parameters"));
    std::array<std::vector<int>, 3> lists;
    bool understood = parts.size() == 4;
    for (std::size_t i = 0; understood && i < 3; ++i) {
      const auto list = simgrid_list(parts[i + 1], ',');
      understood = list && simgrid_list(parts[0], ',') == std::vector<int>{static_cast<int>(list->size())};
      if (understood) lists[i] = *list;
    }
    if (!understood || product(lists[0]) != static_cast<double>(hosts_.size()))
      return fail(fmt::format("a fat-tree of '{}' does not have {} hosts", cluster_.get("topo_parameters"), hosts_.size()));
    std::vector<VertexIndex> below = hosts_;
    std::size_t up_digits = 1;  // Ways to choose the digits of the levels below.
    for (std::size_t level = 0; level < lists[0].size(); ++level) {
      const auto down = static_cast<std::size_t>(lists[0][level]);
      const auto up = static_cast<std::size_t>(lists[1][level]);
      const double cables = static_cast<double>(below.size()) * lists[1][level] * lists[2][level];
      if (cables > most_cables) return fail(fmt::format("a fat-tree of '{}' is too large", cluster_.get("topo_parameters")));
      std::vector<VertexIndex> above(below.size() / down * up);
      for (std::size_t s = 0; s < above.size(); ++s) {
        above[s] = add_switch(fmt::format("{} switch{}-{}", id_, level + 1, s));
        builder_[above[s]].tier = static_cast<std::int8_t>(std::min<std::size_t>(level + 1, 127));
      }
      // below is numbered (down digits from this level on, then up digits); above the same with one digit changed.
      for (std::size_t b = 0; b < below.size(); ++b) {
        const std::size_t lower = b % up_digits;
        const std::size_t higher = b / up_digits / down;
        for (std::size_t u = 0; u < up; ++u)
          for (int cable = 0; cable < lists[2][level]; ++cable)
            builder_.connect(below[b], above[(higher * up + u) * up_digits + lower], link_);
      }
      below = std::move(above);
      up_digits *= up;
    }
  }

  /// "GROUPS,BLUE;CHASSIS,BLACK;BLADES,GREEN;NODES": routers of a chassis and equal blades of a group are joined all to all,
  /// router j of group i with router i of group j; the second numbers multiply the bandwidth of those links.
  void dragonfly() {
    const auto parts = split(cluster_.get("topo_parameters"));
    std::vector<int> n;
    for (const std::string_view part : parts)
      if (const auto list = simgrid_list(part, ',')) n.insert(n.end(), list->begin(), list->end());
    if (parts.size() != 4 || n.size() != 7 || double{1} * n[0] * n[2] * n[4] * n[6] != static_cast<double>(hosts_.size()))
      return fail(fmt::format("a dragonfly of '{}' does not have {} hosts", cluster_.get("topo_parameters"), hosts_.size()));
    const int groups = n[0], chassis = n[2], blades = n[4], nodes = n[6];
    const int per_group = chassis * blades;
    if (groups > per_group) return fail(fmt::format("{} groups need as many routers each; they have {}", groups, per_group));
    if (double{1} * groups * per_group * (blades + chassis) > most_cables) return fail("the dragonfly is too large");
    std::vector<VertexIndex> routers;
    for (int r = 0; r < groups * per_group; ++r) {
      routers.push_back(add_switch(fmt::format("{} router{}", id_, r)));
      builder_[routers.back()].tier = 1;
      builder_[routers.back()].in(DomainKind::pod) = builder_.domain(DomainKind::pod, fmt::format("{} group{}", id_, r / per_group));
      for (int node = 0; node < nodes; ++node) builder_.connect(hosts_[static_cast<std::size_t>(r * nodes + node)], routers.back(), link_);
    }
    const auto join = [&](int a, int b, int cables) {
      builder_.connect(routers[static_cast<std::size_t>(a)], routers[static_cast<std::size_t>(b)], times(cables));
    };
    for (int r = 0; r < groups * per_group; ++r) {
      const int blade = r % blades;
      const int row = r / blades % chassis;
      for (int k = blade + 1; k < blades; ++k) join(r, r + k - blade, n[5]);
      for (int k = row + 1; k < chassis; ++k) join(r, r + (k - row) * blades, n[3]);
    }
    for (int i = 0; i < groups; ++i)
      for (int j = i + 1; j < groups; ++j) join(i * per_group + j, j * per_group + i, n[1]);
  }

  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
      const std::size_t end = text.find(';');
      parts.push_back(text.substr(0, end));
      if (end == std::string_view::npos) return parts;
      text.remove_prefix(end + 1);
    }
  }

  TopologyBuilder& builder_;
  const XmlElement& cluster_;
  ImportReport& report_;
  std::string_view id_;
  LinkSpec link_;
  std::vector<VertexIndex> hosts_;
};

}  // namespace

void add_simgrid_cluster(TopologyBuilder& builder, const XmlElement& cluster, ImportReport& report) { ClusterWiring(builder, cluster, report).run(); }

std::optional<std::vector<std::string>> simgrid_host_names(const XmlElement& cluster, ImportReport& report) {
  const auto numbers = simgrid_radical(cluster.get("radical"), most_hosts);
  if (!numbers) {
    report.error(cluster.line, cluster.column, fmt::format("radical '{}' is not a list such as 0-9,12 of at most {} numbers", cluster.get("radical"), most_hosts));
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const long number : *numbers) names.push_back(fmt::format("{}{}{}", cluster.get("prefix"), number, cluster.get("suffix")));
  return names;
}

VertexIndex add_simgrid_vertex(TopologyBuilder& builder, std::string name, VertexKind kind, std::string_view rack) {
  Vertex vertex;
  vertex.name = std::move(name);
  vertex.kind = kind;
  // Platforms route through hosts as well, so every vertex forwards.
  if (!rack.empty()) vertex.in(DomainKind::rack) = builder.domain(DomainKind::rack, rack);
  return builder.add(std::move(vertex));
}

}  // namespace rackwright::topologies
