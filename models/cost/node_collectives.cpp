#include "models/cost/node_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rackwright::cost {
namespace {

using llm::OperatorKind;

/// Of one protocol: what it adds to a start, and its share of a link. LL sends a flag with every word.
struct Protocol {
  double ring_base_s;
  double ring_hop_s;
  double ring_net_hop_s;
  double tree_base_s;
  double tree_hop_s;
  double tree_net_hop_s;
  double share;
};

std::array<Protocol, 3> protocols(const ScaleUpSpec& s) {
  return {{{s.base_ll_s, s.hop_ll_s, 2.7e-6, 6.8e-6, s.tree_hop_ll_s, 5e-6, 0.5},
           {s.base_ll128_s, s.hop_ll128_s, 4e-6, 14e-6, 1.25e-6, 8.5e-6, 0.92},
           {s.base_simple_s, s.hop_simple_s, 14e-6, 8.4e-6, 4e-6, 14e-6, 1}}};
}

constexpr double nvls_tree_hop_s = 20.9e-6;
/// To the network's switches and back, where these sum.
constexpr double sharp_hop_s = 18e-6;

/// The group: n ranks in k domains of d.
struct Shape {
  double ranks;
  double domains;
  double in_domain;
};

Shape shape_of(const ScaleUpSpec& s, const llm::Operator& op) {
  const double in_domain = s.domain_ranks;
  return {static_cast<double>(op.ranks), std::ceil(op.ranks / in_domain), in_domain};
}

/// Times that a buffer passes each link of a ring.
double ring_passes(OperatorKind kind, double ranks) {
  switch (kind) {
    case OperatorKind::all_reduce: return 2 * (ranks - 1) / ranks;
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter: return (ranks - 1) / ranks;
    default: return 1;
  }
}

/// The same between domains, when each has summed its own. Switches that sum get it once and send the result back once.
double tree_passes(const ScaleUpSpec& s, double domains) { return s.network_reduces ? 1 : 2 * (domains - 1) / domains; }

/// Whether switches sum inside the domains, or between them.
bool has_sum_tree(const ScaleUpSpec& s, OperatorKind kind) {
  return kind == OperatorKind::all_reduce && (s.in_fabric_reduction || s.network_reduces);
}

/// Long buffers: seconds of a byte in rings, and where switches sum. Inside a domain whose switches do not, rings do.
double ring_s_per_byte(const ScaleUpSpec& s, OperatorKind kind, const Shape& g) {
  const double passes = ring_passes(kind, g.ranks);
  return std::max(passes / (s.ring_fraction * s.bytes_per_s), passes / g.in_domain / s.remote_bytes_per_s);
}
double sum_tree_s_per_byte(const ScaleUpSpec& s, const Shape& g) {
  const double inside = s.in_fabric_reduction ? 1 / (s.in_fabric_fraction * s.bytes_per_s)
                                              : ring_passes(OperatorKind::all_reduce, g.in_domain) / (s.ring_fraction * s.bytes_per_s);
  return std::max(inside, tree_passes(s, g.domains) / g.in_domain / s.remote_bytes_per_s);
}

/// What such an all-reduce takes before its bytes: sums inside, or a chain of Simple, and the hops between domains.
double sum_tree_start_s(const ScaleUpSpec& s, const Shape& g) {
  const double inside = s.in_fabric_reduction ? s.in_fabric_s : 2 * (g.in_domain - 1) * s.hop_simple_s;
  return s.base_simple_s + inside + (s.network_reduces ? 2 * sharp_hop_s : 2 * std::log2(g.domains) * nvls_tree_hop_s);
}

}  // namespace

double node_collective_seconds(const ScaleUpSpec& s, const llm::Operator& op) {
  const Shape g = shape_of(s, op);
  const bool sums = op.kind == OperatorKind::all_reduce;
  const double steps = (sums ? 2 : 1) * (g.ranks - 1);
  const double net_steps = (sums ? 2 : 1) * g.domains;
  const double bytes_s = op.message_bytes * ring_s_per_byte(s, op.kind, g);
  double best = std::numeric_limits<double>::infinity();
  for (const Protocol& p : protocols(s)) {
    best = std::min(best, p.ring_base_s + (steps - net_steps) * p.ring_hop_s + net_steps * p.ring_net_hop_s + bytes_s / p.share);
    if (sums) best = std::min(best, p.tree_base_s + 2 * ((g.in_domain - 1) * p.tree_hop_s + std::log2(g.domains) * p.tree_net_hop_s) + bytes_s / p.share);
  }
  if (has_sum_tree(s, op.kind)) best = std::min(best, sum_tree_start_s(s, g) + op.message_bytes * sum_tree_s_per_byte(s, g));
  return best;
}

double node_collective_bytes(const ScaleUpSpec& s, const llm::Operator& op) {
  const Shape g = shape_of(s, op);
  const bool by_tree = has_sum_tree(s, op.kind) && sum_tree_s_per_byte(s, g) < ring_s_per_byte(s, op.kind, g);
  return op.message_bytes * (by_tree ? tree_passes(s, g.domains) : ring_passes(op.kind, g.ranks));
}

}  // namespace rackwright::cost
