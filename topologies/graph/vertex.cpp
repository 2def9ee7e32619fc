#include "topologies/graph/vertex.h"

#include "topologies/graph/name_table.h"

namespace rackwright::topologies {

namespace {

constexpr NameTable<9> kind_names{"accelerator",    "processor",        "nic",  "pcie_switch", "scale_up_switch",
                                  "network_switch", "aggregation_node", "host", "node"};
constexpr NameTable<3> forwarding_names{"never", "within_host", "always"};
constexpr NameTable<domain_kind_count> domain_names{"host", "rack", "pod", "rail", "plane", "island"};

}  // namespace

std::string_view to_string(VertexKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Forwarding forwarding) { return forwarding_names[static_cast<std::size_t>(forwarding)]; }
std::string_view to_string(DomainKind kind) { return domain_names[static_cast<std::size_t>(kind)]; }

std::optional<VertexKind> parse_vertex_kind(std::string_view name) { return find_name<VertexKind>(kind_names, name); }
std::optional<Forwarding> parse_forwarding(std::string_view name) { return find_name<Forwarding>(forwarding_names, name); }
std::optional<DomainKind> parse_domain_kind(std::string_view name) { return find_name<DomainKind>(domain_names, name); }

}  // namespace rackwright::topologies
