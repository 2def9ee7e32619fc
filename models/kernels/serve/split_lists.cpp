#include "models/kernels/serve/split_lists.h"

namespace rackwright::kernels {

std::vector<ServedRequest> prompts_of(std::vector<ServedRequest> requests) {
  for (ServedRequest& request : requests) request.output_tokens = 1;
  return requests;
}

std::vector<std::size_t> decoded_of(const std::vector<ServedRequest>& requests) {
  std::vector<std::size_t> decoded;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i].output_tokens > 1) decoded.push_back(i);
  return decoded;
}

std::vector<ServedRequest> tokens_of(const std::vector<ServedRequest>& requests, const std::vector<double>& landed_s) {
  std::vector<ServedRequest> tokens;
  for (const std::size_t i : decoded_of(requests)) {
    tokens.push_back(requests[i]);
    tokens.back().arrival_s = landed_s[i];
    tokens.back().prefilled = true;
  }
  return tokens;
}

}  // namespace rackwright::kernels
