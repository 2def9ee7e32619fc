#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "models/kernels/operators/prefill_attention.h"
#include "models/kernels/shapes/attention_cases.h"

namespace rackwright::kernels {

/// A cuDNN handle; making one loads the library's engines, so a program has one.
class Cudnn {
 public:
  Cudnn();
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;
  /// "9.19.0", or "none" when built without cuDNN.
  static std::string version();
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

/// cuDNN's fused attention graph for one prefill shape. Built without cuDNN or its C++ front end, the
/// constructor throws DeviceError with that as the reason.
class CudnnAttention {
 public:
  /// `dnn` must outlive the object.
  CudnnAttention(const Cudnn& dnn, const PrefillCase& shape);
  ~CudnnAttention();
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;

  /// Pointers of `arguments` are used, its shape must be the plan's.
  void run(const PrefillAttention& arguments, cudaStream_t stream) const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace rackwright::kernels
