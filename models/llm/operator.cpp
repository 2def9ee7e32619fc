#include "models/llm/operator.h"

#include <array>

namespace rackwright::llm {
namespace {

struct Row {
  OperatorKind kind;
  std::string_view name;
  OperatorClass operator_class;
};

using K = OperatorKind;
using C = OperatorClass;

constexpr std::array rows{
    Row{K::embedding, "embedding", C::memory},
    Row{K::norm, "norm", C::memory},
    Row{K::qkv_projection, "qkv_projection", C::gemm},
    Row{K::query_down, "query_down", C::gemm},
    Row{K::query_up, "query_up", C::gemm},
    Row{K::kv_down, "kv_down", C::gemm},
    Row{K::kv_up, "kv_up", C::gemm},
    Row{K::qk_norm, "qk_norm", C::memory},
    Row{K::rope, "rope", C::memory},
    Row{K::prefill_attention, "prefill_attention", C::prefill_attention},
    Row{K::decode_attention, "decode_attention", C::decode_attention},
    Row{K::output_projection, "output_projection", C::gemm},
    Row{K::gate_up, "gate_up", C::gemm},
    Row{K::activation, "activation", C::memory},
    Row{K::down, "down", C::gemm},
    Row{K::router, "router", C::gemm},
    Row{K::route, "route", C::memory},
    Row{K::permute, "permute", C::memory},
    Row{K::expert_gate_up, "expert_gate_up", C::grouped_gemm},
    Row{K::expert_activation, "expert_activation", C::memory},
    Row{K::expert_down, "expert_down", C::grouped_gemm},
    Row{K::combine, "combine", C::memory},
    Row{K::shared_gate_up, "shared_gate_up", C::gemm},
    Row{K::shared_activation, "shared_activation", C::memory},
    Row{K::shared_down, "shared_down", C::gemm},
    Row{K::lm_head, "lm_head", C::gemm},
    Row{K::sampling, "sampling", C::memory},
    Row{K::all_reduce, "all_reduce", C::collective},
    Row{K::all_gather, "all_gather", C::collective},
    Row{K::all_to_all, "all_to_all", C::collective},
    Row{K::send, "send", C::collective},
    Row{K::reduce_scatter, "reduce_scatter", C::collective},
    Row{K::broadcast, "broadcast", C::collective},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].kind != static_cast<K>(i)) return false;
  return true;
}
static_assert(in_order(), "a row stands at the place of its kind");

}  // namespace

std::string_view to_string(OperatorKind kind) { return rows[static_cast<std::size_t>(kind)].name; }

std::string_view to_string(OperatorClass operator_class) {
  constexpr std::array<std::string_view, 6> names{"gemm", "grouped_gemm", "prefill_attention", "decode_attention", "memory", "collective"};
  return names[static_cast<std::size_t>(operator_class)];
}

OperatorClass class_of(OperatorKind kind) { return rows[static_cast<std::size_t>(kind)].operator_class; }

bool is_feed_forward(OperatorKind kind) {
  return (kind >= OperatorKind::gate_up && kind <= OperatorKind::shared_down) || kind == OperatorKind::all_to_all;
}

}  // namespace rackwright::llm
