#include "models/cost/operator_profile.h"

#include "models/base/invariant.h"

namespace rackwright::cost {
namespace {

using llm::Operator;
using llm::OperatorClass;
using llm::OperatorKind;

constexpr double activation_bytes = 2;

/// Activations read and written per element of the width, as the operator graph counts them.
double elements_per_width(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::norm: return 4;
    case OperatorKind::activation:
    case OperatorKind::expert_activation:
    case OperatorKind::shared_activation: return 3;
    case OperatorKind::sampling:
    case OperatorKind::route: return 1;
    case OperatorKind::permute:
    case OperatorKind::combine: return 9;  // Eight experts per token.
    default: return 2;
  }
}

/// Kinds that are the same kernel share a table.
OperatorKind table_kind(OperatorKind kind) {
  if (kind == OperatorKind::expert_activation || kind == OperatorKind::shared_activation) return OperatorKind::activation;
  return kind;
}

}  // namespace

int axis_count(ProfileFamily family) {
  switch (family) {
    case ProfileFamily::gemm:
    case ProfileFamily::collective: return 1;
    case ProfileFamily::grouped_gemm:
    case ProfileFamily::prefill_attention:
    case ProfileFamily::decode_attention:
    case ProfileFamily::memory: return 2;
    case ProfileFamily::mixed_attention: return 4;
  }
  invariant(false, "a profile family has axes");
  return 0;
}

ProfilePlace place_of(const Operator& op) {
  ProfilePlace place;
  ProfileKey& key = place.key;
  switch (class_of(op.kind)) {
    case OperatorClass::gemm:
      key = {ProfileFamily::gemm, static_cast<int>(op.format), {op.n, op.k}};
      place.at = {op.m};
      return place;
    case OperatorClass::grouped_gemm:
      key = {ProfileFamily::grouped_gemm, static_cast<int>(op.format), {op.n, op.k}};
      place.at = {op.groups, op.m};
      return place;
    case OperatorClass::prefill_attention:
      key = {ProfileFamily::prefill_attention, 0, {op.query_heads, op.kv_heads, op.head_dim, op.value_dim}};
      place.at = {op.new_tokens, op.past_tokens};
      return place;
    case OperatorClass::decode_attention:
      key = {ProfileFamily::decode_attention, 0, {op.query_heads, op.kv_heads, op.head_dim, op.value_dim}};
      place.at = {op.sequences, op.context_tokens / op.sequences};
      return place;
    case OperatorClass::memory:
      key = {ProfileFamily::memory, static_cast<int>(table_kind(op.kind)), {}};
      place.at = {static_cast<double>(op.width), op.tokens};
      return place;
    case OperatorClass::collective:
      key = {ProfileFamily::collective, static_cast<int>(op.kind), {op.ranks}};
      place.at = {op.message_bytes};
      return place;
  }
  invariant(false, "an operator class has a place");
  return place;
}

Operator operator_at(const ProfilePlace& place) {
  const auto& [key, at] = place;
  Operator op;
  switch (key.family) {
    case ProfileFamily::gemm:
    case ProfileFamily::grouped_gemm: {
      const bool grouped = key.family == ProfileFamily::grouped_gemm;
      op.kind = grouped ? OperatorKind::expert_down : OperatorKind::down;
      op.format = static_cast<hardware::NumberFormat>(key.variant);
      op.n = key.shape[0];
      op.k = key.shape[1];
      op.groups = grouped ? at[0] : 1;
      op.weights = op.format == hardware::NumberFormat::fp8 ? llm::WeightFormat::fp8 : llm::WeightFormat::bf16;
      op.m = grouped ? at[1] : at[0];
      const double input_bytes = hardware::bits(op.format) / 8.0;
      op.flops = 2 * op.m * op.n * op.k;
      op.bytes = input_bytes * (op.m * op.k + op.groups * op.n * op.k) + activation_bytes * op.m * op.n;
      return op;
    }
    case ProfileFamily::prefill_attention:
    case ProfileFamily::decode_attention: {
      const bool prefill = key.family == ProfileFamily::prefill_attention;
      op.kind = prefill ? OperatorKind::prefill_attention : OperatorKind::decode_attention;
      op.query_heads = key.shape[0];
      op.kv_heads = key.shape[1];
      op.head_dim = key.shape[2];
      op.value_dim = key.shape[3];
      // A latent row holds its values within its keys.
      const double row = op.kv_heads == 1 && op.value_dim < op.head_dim ? op.head_dim : op.kv_heads * (op.head_dim + op.value_dim);
      const double per_pair = 2.0 * op.query_heads * (op.head_dim + op.value_dim);
      const double per_query = activation_bytes * op.query_heads * (op.head_dim + op.value_dim);
      if (prefill) {
        op.sequences = 1;
        op.new_tokens = at[0];
        op.past_tokens = at[1];
        op.flops = per_pair * (at[0] * at[1] + at[0] * (at[0] + 1) / 2);
        op.bytes = per_query * at[0] + activation_bytes * row * (at[0] + at[1]);
      } else {
        op.kernels = 2;
        op.sequences = at[0];
        op.context_tokens = at[0] * at[1];
        op.flops = per_pair * op.context_tokens;
        op.bytes = per_query * at[0] + activation_bytes * row * op.context_tokens;
      }
      return op;
    }
    case ProfileFamily::memory:
      op.kind = static_cast<OperatorKind>(key.variant);
      op.width = static_cast<int>(at[0]);
      op.tokens = at[1];
      op.flops = elements_per_width(op.kind) * at[0] * at[1];
      op.bytes = activation_bytes * op.flops;
      return op;
    case ProfileFamily::collective:
      op.kind = static_cast<OperatorKind>(key.variant);
      op.ranks = key.shape[0];
      op.message_bytes = at[0];
      return op;
    case ProfileFamily::mixed_attention: break;
  }
  invariant(false, "a place of mixed attention is no single operator");
  return op;
}

}  // namespace rackwright::cost
