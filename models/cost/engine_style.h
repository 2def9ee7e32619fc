#pragma once

#include "models/cost/execution_spec.h"

namespace rackwright::cost {

/// Whose habits an instance follows where the scenario states none.
enum class EngineStyle { vllm, sglang, tensorrt_llm };

/// What an engine captures and leaves to the host with its own options:
///
///  - vllm          decodes as full graphs, steps with prefill as piecewise ones, of 1, 2, 4, every 8 below 256 and every 16 from
///                  there up to the lesser of twice the sequences and 512 tokens; larger steps eagerly (vllm/config/vllm.py,
///                  max_cudagraph_capture_size; 0.11 to 0.19). Host: 0.7 ms a step, fitted to the mean TPOT of a real run of
///                  vLLM 0.19 on an RTX PRO 6000 (docs/validation.md, Llama-3.1-8B); 0.19 schedules one step ahead, so that this
///                  is what stays between steps.
///  - sglang        decodes as graphs of 1, 2, 4, 8, 12, every 8 up to 256, every 16 up to 512, up to 256 sequences on fewer than four
///                  devices and 512 on more; prefill eagerly (server_args.py, cuda_graph_bs on boards of 80 to 160 GB).
///  - tensorrt_llm  decodes as graphs of 1, 2, 4 and every 8 up to 128 sequences; prefill eagerly (llm_args.py, CudaGraphConfig).
///
/// The two latter schedule ahead; the gap that stays is taken from the one published for that on vLLM, 150 to 170 us at 256
/// sequences (vllm-project/vllm#11133): 160 us. Nobody measured it on them here.
ExecutionSpec engine_execution(EngineStyle style, int max_sequences, int devices);

}  // namespace rackwright::cost
