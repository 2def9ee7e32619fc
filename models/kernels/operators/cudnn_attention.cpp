#include "models/kernels/operators/cudnn_attention.h"

#include <cudnn_frontend.h>

#include <cmath>
#include <string>
#include <unordered_map>

#include "models/kernels/device/check.h"

namespace rackwright::kernels {
namespace {

namespace fe = cudnn_frontend;

void check_dnn(cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS) throw DeviceError(std::string("cuDNN: ") + cudnnGetErrorString(status));
}

void check_dnn(fe::error_t error) {
  if (error.is_bad()) throw DeviceError("cuDNN: " + error.get_message());
}

enum Tensor : std::int64_t { q_id = 1, k_id, v_id, out_id };

}  // namespace

Cudnn::Cudnn() {
  cudnnHandle_t created = nullptr;
  check_dnn(cudnnCreate(&created));
  handle_ = created;
}

Cudnn::~Cudnn() { cudnnDestroy(static_cast<cudnnHandle_t>(handle_)); }

std::string Cudnn::version() {
  const std::size_t v = cudnnGetVersion();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

struct CudnnAttention::Plan {
  cudnnHandle_t handle = nullptr;
  fe::graph::Graph graph;
  void* workspace = nullptr;
  ~Plan() { cudaFree(workspace); }
};

CudnnAttention::CudnnAttention(const Cudnn& dnn, const PrefillCase& shape) : plan_(std::make_unique<Plan>()) {
  plan_->handle = static_cast<cudnnHandle_t>(dnn.handle());
  const std::int64_t b = shape.sequences, d = shape.heads.head_dim, hq = shape.heads.q_heads, hkv = shape.heads.kv_heads;
  const std::int64_t sq = shape.new_tokens, skv = shape.new_tokens + shape.past_tokens;
  auto& graph = plan_->graph;
  graph.set_io_data_type(fe::DataType_t::BFLOAT16)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  // Logical order [batch, head, token, element]; in memory tokens come before heads.
  const auto tensor = [&](std::int64_t id, std::int64_t heads, std::int64_t tokens) {
    return fe::graph::Tensor_attributes().set_uid(id).set_dim({b, heads, tokens, d}).set_stride({tokens * heads * d, d, heads * d, 1});
  };
  const auto q = graph.tensor(tensor(q_id, hq, sq).set_name("q"));
  const auto k = graph.tensor(tensor(k_id, hkv, skv).set_name("k"));
  const auto v = graph.tensor(tensor(v_id, hkv, skv).set_name("v"));
  auto attributes = fe::graph::SDPA_attributes()
                        .set_name("attention")
                        .set_generate_stats(false)
                        .set_attn_scale(1 / std::sqrt(static_cast<float>(d)));
  if (shape.past_tokens == 0) attributes.set_causal_mask(true);
  else attributes.set_causal_mask_bottom_right(true);
  const auto out = graph.sdpa(q, k, v, attributes)[0];
  out->set_output(true).set_uid(out_id).set_dim({b, hq, sq, d}).set_stride({sq * hq * d, d, hq * d, 1});
  check_dnn(graph.build(plan_->handle, {fe::HeurMode_t::A}));
  std::int64_t bytes = 0;
  check_dnn(graph.get_workspace_size(bytes));
  if (bytes > 0) check(cudaMalloc(&plan_->workspace, static_cast<std::size_t>(bytes)));
}

CudnnAttention::~CudnnAttention() = default;

void CudnnAttention::run(const PrefillAttention& arguments, cudaStream_t stream) const {
  check_dnn(cudnnSetStream(plan_->handle, stream));
  std::unordered_map<std::int64_t, void*> pointers{{q_id, const_cast<__nv_bfloat16*>(arguments.q)},
                                                   {k_id, const_cast<__nv_bfloat16*>(arguments.k)},
                                                   {v_id, const_cast<__nv_bfloat16*>(arguments.v)},
                                                   {out_id, arguments.out}};
  check_dnn(plan_->graph.execute(plan_->handle, pointers, plan_->workspace));
}

}  // namespace rackwright::kernels
