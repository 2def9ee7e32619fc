#pragma once

#include <cstddef>
#include <vector>

#include "models/kernels/serve/batch_scheduler.h"

namespace rackwright::kernels {

/// The same prompts with one answer token each.
std::vector<ServedRequest> prompts_of(std::vector<ServedRequest> requests);

/// Which requests have more than one answer token, and so are decoded.
std::vector<std::size_t> decoded_of(const std::vector<ServedRequest>& requests);

/// What is decoded of `requests`, each arriving with its first token at its moment of `landed_s`.
std::vector<ServedRequest> tokens_of(const std::vector<ServedRequest>& requests, const std::vector<double>& landed_s);

}  // namespace rackwright::kernels
