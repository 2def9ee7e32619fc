#include "models/kernels/families/mla_operation.h"

#include <cmath>
#include <vector>

#include "models/kernels/device/check.h"
#include "models/kernels/measure/attention_reference.h"
#include "models/kernels/measure/random_fill.h"

namespace rackwright::kernels {
namespace {

constexpr std::size_t page_elements = static_cast<std::size_t>(mla_page_tokens) * mla_row;

std::size_t rows(const MlaCase& shape) { return static_cast<std::size_t>(shape.batch) * shape.heads; }

}  // namespace

MlaOperation::MlaOperation(Arena& arena, Accuracy& accuracy, const KvPool& pool, const MlaCase& shape, int sms)
    : arena_(arena),
      accuracy_(accuracy),
      shape_(shape),
      pages_per_sequence_((shape.context + mla_page_tokens - 1) / mla_page_tokens),
      splits_(mla_splits(sms, shape.batch, shape.heads, shape.context)),
      windows_(static_cast<std::size_t>(shape.batch) * pages_per_sequence_, pool.count / page_elements, 2 * page_elements),
      pool_(pool) {
  q_ = arena.take<__nv_bfloat16>(rows(shape) * mla_row);
  out_ = arena.take<__nv_bfloat16>(rows(shape) * mla_latent);
  lengths_on_device_ = arena.take<int>(shape.batch);
  tables_ = arena.take<int>(static_cast<std::size_t>(windows_.slots) * shape.batch * pages_per_sequence_);
  partial_ = arena.take<float>(rows(shape) * splits_ * mla_latent);
  partial_scale_ = arena.take<float2>(rows(shape) * splits_);
  const std::vector<int> lengths(shape.batch, shape.context);
  check(cudaMemcpy(lengths_on_device_, lengths.data(), lengths.size() * sizeof(int), cudaMemcpyHostToDevice));
}

void MlaOperation::refresh(std::uint64_t seed, cudaStream_t stream) {
  const std::size_t table = static_cast<std::size_t>(shape_.batch) * pages_per_sequence_;
  for (int slot = 0; slot < windows_.slots; ++slot)
    fill_page_tables(tables_ + slot * table, shape_.batch, pages_per_sequence_, nullptr, static_cast<int>(windows_.window), seed * 64 + slot, stream);
  fill_normal(q_, rows(shape_) * mla_row, 1, seed * 64 + 63, stream);
  poison(out_, rows(shape_) * mla_latent, stream);
}

MlaDecode MlaOperation::arguments(int slot) const {
  MlaDecode a;
  a.q = q_;
  a.pages = pool_.elements + windows_.start(slot) * page_elements;
  a.page_table = tables_ + static_cast<std::size_t>(slot) * shape_.batch * pages_per_sequence_;
  a.lengths = lengths_on_device_;
  a.out = out_;
  a.partial = partial_;
  a.partial_scale = partial_scale_;
  a.pages_per_sequence = pages_per_sequence_;
  a.batch = shape_.batch;
  a.heads = shape_.heads;
  a.splits = splits_;
  return a;
}

void MlaOperation::launch(int slot, cudaStream_t stream) { mla_decode(arguments(slot), stream); }

double MlaOperation::error(int slot, cudaStream_t stream) {
  const MlaDecode a = arguments(slot);
  std::vector<AttentionSample> samples;
  constexpr int count = 16;
  for (int i = 0; i < count; ++i) {
    const int sequence = i == 0 ? shape_.batch - 1 : static_cast<int>(static_cast<long>(shape_.batch) * i / count);
    const std::size_t row = static_cast<std::size_t>(sequence) * a.heads + i * 5 % a.heads;
    samples.push_back({a.q + row * mla_row, a.out + row * mla_latent, a.pages, a.pages,
                       a.page_table + static_cast<std::size_t>(sequence) * pages_per_sequence_, shape_.context});
  }
  AttentionDims dims;
  dims.key_dim = mla_row;
  dims.value_dim = mla_latent;
  dims.row_stride = mla_row;
  dims.page_tokens = mla_page_tokens;
  dims.scale = 1 / std::sqrt(192.0f);
  return attention_error(arena_, accuracy_, samples, dims, out_, rows(shape_) * mla_latent, stream);
}

}  // namespace rackwright::kernels
