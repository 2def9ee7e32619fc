#include <algorithm>
#include <cmath>
#include <limits>

#include "models/kernels/device/check.h"
#include "models/kernels/families/layer_operation.h"
#include "models/kernels/families/layer_operations.h"
#include "models/kernels/measure/random_fill.h"
#include "models/kernels/operators/layer_kernels.h"

namespace rackwright::kernels {

double LayerOperation::error(int, cudaStream_t stream) {
  if (accuracy_.has_nan(output(), out_elements(), stream)) return std::numeric_limits<double>::quiet_NaN();
  Row actual, expected;
  for (int token : sampled_tokens()) {
    const Row a = actual_row(token), e = expected_row(token);
    actual.insert(actual.end(), a.begin(), a.end());
    expected.insert(expected.end(), e.begin(), e.end());
  }
  return relative_error(actual, expected);
}

LayerOperation::Row LayerOperation::row(const __nv_bfloat16* matrix, std::size_t index, int width) {
  const auto raw = on_host(matrix + index * width, width);
  return {raw.begin(), raw.end()};
}

namespace {

/// y = rmsnorm(r + x)·w; also rmsnorm alone.
class NormOperation : public LayerOperation {
 public:
  NormOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), x_(take(elements())), residual_(take(elements())), before_(take(elements())), weight_(take(shape.width)), out_(take(elements())) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_normal(x_, elements(), 1, seed * 4, stream);
    fill_normal(residual_, elements(), 1, seed * 4 + 1, stream);
    fill_normal(before_, elements(), 1, seed * 4 + 1, stream);
    fill_normal(weight_, shape_.width, 1, seed * 4 + 2, stream);
    poison(out_, elements(), stream);
  }
  void launch(int, cudaStream_t stream) override {
    residual_rmsnorm(shape_.op == LayerOp::rmsnorm ? nullptr : x_, residual_, weight_, out_, shape_.tokens, shape_.width, stream);
  }

 private:
  const __nv_bfloat16* output() const override { return out_; }
  Row expected_row(int token) override {
    Row sum = row(before_, token, shape_.width);
    const Row x = row(x_, token, shape_.width), w = row(weight_, 0, shape_.width);
    double squares = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (shape_.op == LayerOp::residual_rmsnorm) sum[i] += x[i];
      squares += static_cast<double>(sum[i]) * sum[i];
    }
    const double scale = 1 / std::sqrt(squares / shape_.width + rmsnorm_epsilon);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<float>(sum[i] * scale * w[i]);
    return sum;
  }

  __nv_bfloat16 *x_, *residual_, *before_, *weight_, *out_;
};

class SiluOperation : public LayerOperation {
 public:
  SiluOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), in_(take(2 * elements())), out_(take(elements())) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_normal(in_, 2 * elements(), 1, seed, stream);
    poison(out_, elements(), stream);
  }
  void launch(int, cudaStream_t stream) override { silu_mul(in_, out_, shape_.tokens, shape_.width, stream); }

 private:
  const __nv_bfloat16* output() const override { return out_; }
  Row expected_row(int token) override {
    const Row joint = row(in_, token, 2 * shape_.width);
    Row result(shape_.width);
    for (int i = 0; i < shape_.width; ++i) result[i] = joint[i] / (1 + std::exp(-joint[i])) * joint[shape_.width + i];
    return result;
  }

  __nv_bfloat16 *in_, *out_;
};

/// Checked on the written keys and the rotated queries of a token together.
class RopeOperation : public LayerOperation {
 public:
  RopeOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), slots_(std::max(shape.tokens, 1 << 16)), qkv_(take(elements())),
        q_(take(static_cast<std::size_t>(shape.tokens) * shape.q_heads * head_dim)),
        k_(take(static_cast<std::size_t>(slots_) * kv_width())), v_(take(static_cast<std::size_t>(slots_) * kv_width())),
        positions_(arena.take<int>(shape.tokens)), places_(arena.take<int>(shape.tokens)) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_normal(qkv_, elements(), 1, seed * 4, stream);
    fill_uniform(positions_, shape_.tokens, 8192, seed * 4 + 1, stream);
    fill_page_tables(places_, 1, shape_.tokens, nullptr, slots_, seed * 4 + 2, stream);
    poison(q_, out_elements(), stream);
  }
  void launch(int, cudaStream_t stream) override {
    rope_kv_write(qkv_, positions_, places_, q_, k_, v_, shape_.tokens, shape_.q_heads, shape_.kv_heads, stream);
  }

 private:
  static constexpr int head_dim = 128;
  int kv_width() const { return shape_.kv_heads * head_dim; }
  const __nv_bfloat16* output() const override { return q_; }
  int out_width() const override { return shape_.q_heads * head_dim; }
  Row actual_row(int token) override {
    Row result = row(q_, token, out_width());
    const int place = on_host(places_ + token, 1)[0];
    for (const auto* pages : {k_, v_}) {
      const Row written = row(pages, place, kv_width());
      result.insert(result.end(), written.begin(), written.end());
    }
    return result;
  }
  Row expected_row(int token) override {
    Row values = row(qkv_, token, shape_.width);
    const int position = on_host(positions_ + token, 1)[0];
    for (int head = 0; head < shape_.q_heads + shape_.kv_heads; ++head)
      for (int i = 0; i < head_dim / 2; ++i) {
        const double angle = position * std::pow(500000.0, -i / 64.0);
        float& low = values[head * head_dim + i];
        float& high = values[head * head_dim + head_dim / 2 + i];
        const double l = low, h = high;
        low = static_cast<float>(l * std::cos(angle) - h * std::sin(angle));
        high = static_cast<float>(h * std::cos(angle) + l * std::sin(angle));
      }
    return values;
  }

  int slots_;
  __nv_bfloat16 *qkv_, *q_, *k_, *v_;
  int *positions_, *places_;
};

/// Embedding, page gather and page scatter: rows of one buffer in another order in the other.
class MoveOperation : public LayerOperation {
 public:
  MoveOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), row_tokens_(shape.op == LayerOp::embedding ? 1 : 16),
        rows_(shape.tokens / row_tokens_), row_width_(shape.width * row_tokens_),
        // A table or pool several times the L2 cache.
        pool_rows_(std::max(2 * rows_, static_cast<int>((512u << 20) / (2u * row_width_)))),
        pool_(take(static_cast<std::size_t>(pool_rows_) * row_width_)), dense_(take(elements())), places_(arena.take<int>(rows_)) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_page_tables(places_, 1, rows_, nullptr, pool_rows_, seed * 4, stream);
    if (shape_.op == LayerOp::kv_scatter) {
      fill_normal(dense_, elements(), 1, seed * 4 + 1, stream);
      return;
    }
    fill_normal(pool_, static_cast<std::size_t>(pool_rows_) * row_width_, 1, seed * 4 + 1, stream);
    poison(dense_, elements(), stream);
  }
  void launch(int, cudaStream_t stream) override {
    switch (shape_.op) {
      case LayerOp::embedding: embedding(pool_, places_, dense_, rows_, row_width_, stream); break;
      case LayerOp::kv_gather: kv_gather(pool_, places_, dense_, rows_, row_width_, stream); break;
      default: kv_scatter(dense_, places_, pool_, rows_, row_width_, stream); break;
    }
  }

 private:
  const __nv_bfloat16* output() const override { return dense_; }
  std::size_t place(int token) const { return static_cast<std::size_t>(on_host(places_ + token / row_tokens_, 1)[0]) * row_tokens_ + token % row_tokens_; }
  Row dense_row(int token) const { return row(dense_, token, shape_.width); }
  Row pool_row(int token) const { return row(pool_, place(token), shape_.width); }
  Row actual_row(int token) override { return shape_.op == LayerOp::kv_scatter ? pool_row(token) : dense_row(token); }
  Row expected_row(int token) override { return shape_.op == LayerOp::kv_scatter ? dense_row(token) : pool_row(token); }

  int row_tokens_, rows_, row_width_, pool_rows_;
  __nv_bfloat16 *pool_, *dense_;
  int* places_;
};

/// The memory ceilings.
class StreamOperation : public LayerOperation {
 public:
  StreamOperation(Arena& arena, Accuracy& accuracy, const LayerCase& shape)
      : LayerOperation(arena, accuracy, shape), in_(take(elements())), out_(take(shape.op == LayerOp::copy ? elements() : 8)), sum_(arena.take<float>(1)) {}
  void refresh(std::uint64_t seed, cudaStream_t stream) override {
    fill_normal(in_, elements(), 1, seed, stream);
    if (shape_.op == LayerOp::copy) poison(out_, elements(), stream);
    else check(cudaMemsetAsync(out_, 0, 16, stream));
  }
  void launch(int, cudaStream_t stream) override {
    if (shape_.op == LayerOp::copy) stream_copy(in_, out_, elements(), stream);
    else stream_read(in_, sum_, elements(), stream);
  }

 private:
  const __nv_bfloat16* output() const override { return out_; }
  std::size_t out_elements() const override { return shape_.op == LayerOp::copy ? elements() : 8; }
  Row actual_row(int token) override {
    // The sum of n standard normal deviates: finite and within a few √n; its exact value depends on the order.
    if (shape_.op == LayerOp::read) return {std::abs(on_host(sum_, 1)[0]) < 10 * std::sqrt(static_cast<float>(elements())) ? 1.0f : NAN};
    return row(out_, token, shape_.width);
  }
  Row expected_row(int token) override { return shape_.op == LayerOp::read ? Row{1.0f} : row(in_, token, shape_.width); }

  __nv_bfloat16 *in_, *out_;
  float* sum_;
};

}  // namespace

std::unique_ptr<Operation> make_layer_operation(Arena& arena, Accuracy& accuracy, const LayerCase& shape) {
  switch (shape.op) {
    case LayerOp::residual_rmsnorm:
    case LayerOp::rmsnorm: return std::make_unique<NormOperation>(arena, accuracy, shape);
    case LayerOp::silu_mul: return std::make_unique<SiluOperation>(arena, accuracy, shape);
    case LayerOp::rope_kv_write: return std::make_unique<RopeOperation>(arena, accuracy, shape);
    case LayerOp::embedding:
    case LayerOp::kv_gather:
    case LayerOp::kv_scatter: return std::make_unique<MoveOperation>(arena, accuracy, shape);
    case LayerOp::router_top8: return make_router_operation(arena, accuracy, shape);
    case LayerOp::moe_permute:
    case LayerOp::moe_combine: return make_expert_move_operation(arena, accuracy, shape);
    case LayerOp::argmax:
    case LayerOp::top_p_sample: return make_sampling_operation(arena, accuracy, shape);
    case LayerOp::read:
    case LayerOp::copy: return std::make_unique<StreamOperation>(arena, accuracy, shape);
  }
  throw DeviceError("unknown operator");
}

}  // namespace rackwright::kernels
