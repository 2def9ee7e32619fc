#pragma once

#include <memory>

#include "traces/generators/generator.h"

namespace rackwright::traces {

/// The streams of `spec.mix`, by arrival; ties in the order of the list. Each draws from streams of its own.
std::unique_ptr<RequestSource> make_mixed_generator(const GeneratorSpec& spec, std::uint64_t seed);

}  // namespace rackwright::traces
