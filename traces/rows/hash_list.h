#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rackwright::traces {

/// One hash of a block: an integer in 64 bits as it stands, any other text by its own hash.
std::uint64_t block_hash(std::string_view text);

/// The hashes in one cell: "3 17 42", "3;17;42", "[3, 17, 42]", "['a1', 'b2']".
void append_block_hashes(std::string_view cell, std::vector<std::uint64_t>& hashes);

}  // namespace rackwright::traces
