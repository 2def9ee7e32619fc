#include "models/cost/overlap.h"

#include <algorithm>
#include <array>
#include <optional>

#include "models/llm/operator_graph.h"

namespace rackwright::cost {
namespace {

using llm::Operator;
using llm::OperatorClass;
using llm::OperatorKind;

bool is_product(const Operator& op) {
  const OperatorClass kind = class_of(op.kind);
  return kind == OperatorClass::gemm || kind == OperatorClass::grouped_gemm;
}

/// A collective and the product that can hide it, by position; none when its site asks for nothing.
struct Site {
  std::size_t collective = 0;
  std::optional<std::size_t> product;
  Overlap overlap = Overlap::none;
  bool is_second = false;  ///< After the experts or the feed-forward network.
};

std::optional<std::size_t> product_before(const std::vector<Operator>& operators, std::size_t at) {
  while (at > 0)
    if (--at; is_product(operators[at]) && operators[at].kind != OperatorKind::router) return at;
  return std::nullopt;
}

std::optional<std::size_t> product_after(const std::vector<Operator>& operators, std::size_t at) {
  while (++at < operators.size())
    if (is_product(operators[at])) return at;
  return std::nullopt;
}

std::vector<Site> sites_of(const std::vector<Operator>& operators, const OverlapSpec& overlap) {
  std::vector<Site> sites;
  bool dispatched = false;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    if (class_of(op.kind) != OperatorClass::collective || op.ranks <= 1) continue;
    Site site{i, product_before(operators, i)};
    if (op.kind == OperatorKind::all_to_all) {
      // They come in pairs: to the experts, whose first product follows, and back from their last.
      dispatched = !dispatched;
      site.product = product_after(operators, i);
      if (!dispatched) site.product = product_after(operators, *site.product);
      site.overlap = overlap.experts;
      site.is_second = !dispatched;
    } else if (op.kind == OperatorKind::all_reduce && site.product) {
      site.is_second = operators[*site.product].kind != OperatorKind::output_projection;
      site.overlap = site.is_second ? overlap.feed_forward : overlap.attention;
    }
    sites.push_back(site);
  }
  return sites;
}

/// Whether it runs between the two exchanges of a layer, which the experts have between them, or else the whole network.
bool is_between_exchanges(OperatorKind kind, bool has_dispatch) {
  if (!has_dispatch) return is_feed_forward(kind);
  return kind == OperatorKind::permute || kind == OperatorKind::expert_gate_up || kind == OperatorKind::expert_activation ||
         kind == OperatorKind::expert_down;
}

double busy_s(const OperatorCost& cost) { return cost.parts.sm_clock_s + cost.parts.memory_s; }

}  // namespace

double tile_seconds(const TileTimes& times, double non_overlapped_s, double sync_s) {
  return times.launch_s + std::max({times.compute_s, times.memory_s, times.link_s}) + non_overlapped_s + sync_s;
}

double hiding_depth(double element_bytes, double flop_per_s, double link_bytes_per_s) {
  return element_bytes * flop_per_s / (2 * link_bytes_per_s);
}

double direct_bytes(const Operator& op, bool in_fabric_reduction) {
  const double others = static_cast<double>(op.ranks - 1) / op.ranks;
  switch (op.kind) {
    // With switches that sum and multicast, each device sends its buffer up once.
    case OperatorKind::all_reduce: return in_fabric_reduction && op.ranks > 2 ? op.message_bytes : 2 * others * op.message_bytes;
    case OperatorKind::all_gather:
    case OperatorKind::reduce_scatter:
    case OperatorKind::all_to_all: return others * op.message_bytes;
    default: return op.message_bytes;
  }
}

Work overlapped_token_work(const llm::ShardedShape& sharded, std::int64_t tokens, const OperatorCostModel& model, const OverlapSpec& overlap) {
  const bool halves = overlap.halves_batch() && tokens > 1;
  const std::vector<Operator> operators = llm::token_operators(sharded, halves ? (tokens + 1) / 2 : tokens);
  std::vector<OperatorCost> costs;
  for (const Operator& op : operators) costs.push_back(model.cost(op));

  Work work;
  BatchTurns& turns = work.turns;
  std::optional<OperatorCost> last;
  std::array<double, provenance_count>* exchange = nullptr;
  for (const Site& site : sites_of(operators, overlap)) {
    OperatorCost& link = costs[site.collective];
    if (site.overlap == Overlap::tile && site.product) {
      OperatorCost& product = costs[*site.product];
      product.parts.sm_clock_s /= 1 - overlap.sm_share;
      const double moving_s = overlap.direct_bytes_per_s > 0
                                  ? direct_bytes(operators[site.collective], overlap.in_fabric_reduction) / overlap.direct_bytes_per_s
                                  : link.parts.link_s;
      const TileTimes times{0, product.parts.sm_clock_s + product.parts.memory_s, 0, moving_s};
      link.parts.link_s = tile_seconds(times, overlap.non_overlapped_s, overlap.sync_s) - busy_s(product);
    } else if (site.overlap == Overlap::layer && halves) {
      exchange = site.is_second ? &turns.second_exchange : &turns.first_exchange;
      exchange->at(static_cast<std::size_t>(link.provenance)) += operators[site.collective].count * link.parts.link_s;
      last = link;
      link.parts.link_s = 0;
    }
  }

  const bool has_dispatch = std::ranges::any_of(operators, [](const Operator& op) { return op.kind == OperatorKind::all_to_all; });
  for (std::size_t i = 0; i < operators.size(); ++i) {
    work.add(costs[i], operators[i].count, operators[i].kernels);
    if (!last || !is_between_exchanges(operators[i].kind, has_dispatch)) continue;
    turns.second_sm_s += operators[i].count * costs[i].parts.sm_clock_s;
    turns.second_memory_s += operators[i].count * costs[i].parts.memory_s;
  }
  if (!halves) return work;
  work.add_scaled(Work(work), 1);
  if (!last) return work;
  // The end of the second half, which nothing follows.
  exchange->at(static_cast<std::size_t>(last->provenance)) -= last->parts.link_s;
  work.add(*last, 1, 0);
  return work;
}

}  // namespace rackwright::cost
