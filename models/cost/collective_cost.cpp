#include "models/cost/collective_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/invariant.h"
#include "models/cost/node_collectives.h"
#include "models/cost/published_collectives.h"

namespace rackwright::cost {
namespace {

using llm::OperatorKind;

/// `steps` hops, and `bytes` over the slowest link.
struct Protocol {
  double base_s;
  double hop_s;
  double bytes_per_s;
};

double fastest(const ScaleUpSpec& s, double steps, double bytes) {
  const double bus = s.bytes_per_s * s.ring_fraction;
  // LL sends a flag with every word, so half the bus; LL128 one flag in sixteen words, 0.92 of it.
  const Protocol protocols[] = {{s.base_ll_s, s.hop_ll_s, std::min(s.ll_bytes_per_s, bus / 2)},
                                {s.base_ll128_s, s.hop_ll128_s, 0.92 * bus},
                                {s.base_simple_s, s.hop_simple_s, bus}};
  double best = std::numeric_limits<double>::infinity();
  for (const Protocol& p : protocols) best = std::min(best, p.base_s + steps * p.hop_s + bytes / p.bytes_per_s);
  return best;
}

double library_all_reduce(const ScaleUpSpec& s, double n, double bytes) {
  // Ring: 2(n−1) steps, 2(n−1)/n of the buffer over each link.
  double best = fastest(s, 2 * (n - 1), 2 * (n - 1) / n * bytes);
  // Tree of one node, LL: the chain up and down, the whole buffer twice at the bus rate.
  const double ll = std::min(s.ll_bytes_per_s, s.bytes_per_s * s.ring_fraction / 2);
  best = std::min(best, s.base_ll_s + 2 * (n - 1) * s.tree_hop_ll_s + 2 * bytes / ll);
  if (s.in_fabric_reduction && n > 2)
    best = std::min(best, s.base_simple_s + s.in_fabric_s + bytes / (s.in_fabric_fraction * s.bytes_per_s));
  return best;
}

/// By NCCL's constants.
double library_seconds(const ScaleUpSpec& s, OperatorKind kind, double n, double bytes) {
  switch (kind) {
    case OperatorKind::all_reduce: return library_all_reduce(s, n, bytes);
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter: return fastest(s, n - 1, (n - 1) / n * bytes);
    // A ring passes the buffer on in pieces.
    case OperatorKind::broadcast: return fastest(s, n - 1, bytes);
    // Every rank sends to all others at once; NCCL runs that as one kernel of point-to-point sends.
    case OperatorKind::all_to_all: return s.base_simple_s + (n - 1) / n * bytes / (s.ring_fraction * s.bytes_per_s);
    case OperatorKind::send: return s.base_simple_s + bytes / (s.ring_fraction * s.bytes_per_s);
    default: break;
  }
  invariant(false, "only collectives are asked for");
  return 0;
}

/// Of the same kind, for the nearest number of ranks in its logarithm; null when there is none.
const FittedCollective* nearest_fit(const ScaleUpSpec& s, OperatorKind kind, int ranks) {
  const FittedCollective* best = nullptr;
  const auto distance = [&](const FittedCollective& one) { return std::abs(std::log2(static_cast<double>(one.ranks) / ranks)); };
  for (const FittedCollective& one : s.fits)
    if (one.kind == kind && (!best || distance(one) < distance(*best))) best = &one;
  return best;
}

double peer_memory_seconds(const ScaleUpSpec& s, double n, double bytes) {
  const double rate = s.peer_fraction * s.bytes_per_s;
  return std::min(s.one_shot_s + (n - 1) * bytes / rate, s.two_shot_s + 2 * (n - 1) / n * bytes / rate);
}

/// "NVLink5" and "PCIe 5" as "nvlink5" and "pcie5".
std::string plain(const std::string& link) {
  std::string result;
  for (const char c : link)
    if (c != ' ') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// Ring of n devices: all-reduce in 2(n − 1) steps and the others in n − 1, each of a 1/n of the buffer; a send in one.
double stated_ring_seconds(double step_s, double bytes_per_s, const llm::Operator& op) {
  const double n = op.ranks;
  if (op.kind == llm::OperatorKind::send) return step_s + op.message_bytes / bytes_per_s;
  const double steps = (op.kind == llm::OperatorKind::all_reduce ? 2 : 1) * (n - 1);
  return steps * (step_s + op.message_bytes / n / bytes_per_s);
}

}  // namespace

ScaleUpSpec scale_up_spec(const std::string& technology, double bytes_per_s) {
  const std::string link = plain(technology);
  ScaleUpSpec spec;
  spec.name = link;
  spec.bytes_per_s = bytes_per_s;
  if (link == "nvlink3") {
    spec.ll_bytes_per_s = 87.7e9;  // Ampere, one node.
  } else if (link == "nvlink4" || link == "nvlink5") {
    spec.ll_bytes_per_s = link == "nvlink4" ? 141e9 : 282e9;
    spec.in_fabric_reduction = true;
    // 8 H100: 254 of 450 GB/s; 8 B200: 410 of 900 GB/s, both for buffers of 512 MiB and more.
    spec.in_fabric_fraction = link == "nvlink4" ? 0.565 : 0.455;
  } else if (link.starts_with("pcie")) {
    spec.hop_ll_s = spec.tree_hop_ll_s = 1.0e-6;
    spec.hop_ll128_s = 2.5e-6;
    spec.hop_simple_s = 5.7e-6;
    spec.ring_fraction = 0.64;  // Two L40S: 20 of 31 GB/s bus bandwidth.
    spec.all_reduce = AllReduce::nccl;
    spec.peer_most_ranks = 2;
  }
  for (const PublishedCollective& published : published_collectives()) {
    if (published.link != link) continue;
    CollectiveFit fit = fit_collective(published.rows);
    const double slower = published.link_bytes_per_s / bytes_per_s;
    fit.s_per_byte *= slower;
    fit.s_per_root_byte *= std::sqrt(slower);
    spec.fits.push_back({published.kind, published.ranks, fit});
  }
  return spec;
}

bool runs_over_peer_memory(const ScaleUpSpec& s, const llm::Operator& op) {
  return op.kind == OperatorKind::all_reduce && s.all_reduce == AllReduce::peer_memory && op.message_bytes < s.peer_limit_bytes && !leaves_domain(s, op) &&
         (s.peer_most_ranks == 0 || op.ranks <= s.peer_most_ranks);
}

CollectiveTime collective_time(const ScaleUpSpec& s, const llm::Operator& op) {
  const double bytes = op.message_bytes;
  if (op.ranks <= 1) return {};
  invariant(s.bytes_per_s > 0, "a collective has a link to run over");
  if (leaves_domain(s, op)) {
    invariant(s.remote_bytes_per_s > 0, "what leaves a domain has a network");
    if (op.kind != OperatorKind::all_to_all) return {node_collective_seconds(s, op), Provenance::datasheet};
  }
  if (runs_over_peer_memory(s, op)) {
    const Provenance provenance = s.ring_step_s ? Provenance::assumed : Provenance::datasheet;
    return {peer_memory_seconds(s, op.ranks, bytes), provenance};
  }
  if (s.ring_step_s) return {stated_ring_seconds(*s.ring_step_s, s.bytes_per_s, op), Provenance::assumed};
  if (leaves_domain(s, op)) {
    const ExchangeFit exchange{s.exchange_floor_s, s.domain_ranks, s.ring_fraction * s.bytes_per_s, s.remote_bytes_per_s};
    const double seconds = op.network_bytes > 0 ? exchange.forwarded_seconds(bytes, op.network_bytes) : exchange.seconds(op.ranks, bytes);
    return {seconds, Provenance::calibrated};
  }
  CollectiveTime time{library_seconds(s, op.kind, op.ranks, bytes)};
  if (const FittedCollective* near = nearest_fit(s, op.kind, op.ranks)) {
    const double ratio = near->ranks == op.ranks ? 1 : time.seconds / library_seconds(s, op.kind, near->ranks, bytes);
    time = {ratio * near->fit.seconds(bytes), Provenance::calibrated};
  }
  if (op.kind != OperatorKind::all_reduce || s.all_reduce != AllReduce::best_known) return time;
  const double direct = peer_memory_seconds(s, op.ranks, bytes);
  return direct < time.seconds ? CollectiveTime{direct} : time;
}

}  // namespace rackwright::cost
