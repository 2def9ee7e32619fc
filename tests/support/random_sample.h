#pragma once

#include <string>

#include "models/base/random.h"
#include "scenarios/codec/node.h"
#include "tests/support/sample.pb.h"

namespace rackwright::tests {

/// A number in [0, n) of a random stream.
std::size_t below(RandomStream& random, std::size_t n);
bool chance(RandomStream& random, double probability);

/// Texts that are hard to write: empty, like numbers, with every indicator of YAML, not ASCII, of several lines.
std::string random_text(RandomStream& random);

/// A sample without findings, with every kind of field given or not.
test::Sample random_sample(RandomStream& random);

/// The tree of a message written as people do: block and flow, quotes of every kind, comments ("# c17", each
/// with a number of its own), blank lines, lists with and without indentation, CRLF now and then.
std::string random_layout(const scenarios::Node& root, RandomStream& random);

}  // namespace rackwright::tests
