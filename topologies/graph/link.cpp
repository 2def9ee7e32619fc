#include "topologies/graph/link.h"

#include "topologies/graph/name_table.h"

namespace rackwright::topologies {

namespace {

constexpr NameTable<11> kind_names{"pcie",         "socket", "c2c",        "nvlink",   "xgmi", "ici",
                                   "chip_to_chip", "wafer",  "infiniband", "ethernet", "other"};
constexpr NameTable<9> cable_names{"unknown",       "package",   "board",       "backplane",  "copper",
                                   "active_copper", "multimode", "single_mode", "co_packaged"};
constexpr std::array<double, 9> cable_reach_m{0, 0.1, 1, 2, 3, 7, 50, 500, 500};

}  // namespace

double reach_m(Cable cable) { return cable_reach_m[static_cast<std::size_t>(cable)]; }

bool has_pluggable_optics(Cable cable) { return cable == Cable::multimode || cable == Cable::single_mode; }

std::string_view to_string(LinkKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Cable cable) { return cable_names[static_cast<std::size_t>(cable)]; }

std::optional<LinkKind> parse_link_kind(std::string_view name) { return find_name<LinkKind>(kind_names, name); }
std::optional<Cable> parse_cable(std::string_view name) { return find_name<Cable>(cable_names, name); }

}  // namespace rackwright::topologies
