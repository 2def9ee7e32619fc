#include "models/kernels/device/check.h"
#include "models/kernels/operators/cudnn_attention.h"

namespace rackwright::kernels {

Cudnn::Cudnn() = default;
Cudnn::~Cudnn() = default;
std::string Cudnn::version() { return "none"; }

struct CudnnAttention::Plan {};

CudnnAttention::CudnnAttention(const Cudnn&, const PrefillCase&) { throw DeviceError("built without cuDNN or its C++ front end"); }
CudnnAttention::~CudnnAttention() = default;
void CudnnAttention::run(const PrefillAttention&, cudaStream_t) const {}

}  // namespace rackwright::kernels
