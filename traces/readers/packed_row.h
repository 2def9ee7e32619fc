#pragma once

#include <cstdint>

#include "traces/readers/clean_row.h"

namespace rackwright::traces {

/// A row without its block hashes, in a form of fixed size for large tables and files.
struct PackedRow {
  Instant arrival;
  std::int64_t first_token_ps;  ///< -1: none.
  std::int64_t completion_ps;
  std::int64_t think_time_ps;
  std::uint64_t id_key;
  std::uint64_t parent_key;
  std::uint64_t line;
  std::uint64_t position;
  std::uint64_t session;
  std::uint64_t hashes_at;  ///< Where the owner of the row keeps its hashes.
  std::uint32_t hash_count;
  std::int32_t block_tokens;
  std::int32_t input_tokens;
  std::int32_t output_tokens;
  std::uint32_t model;
  std::uint32_t request_class;
};

PackedRow pack(const CleanRow& row);

/// Leaves the hashes of `row` to the caller.
void unpack(const PackedRow& packed, CleanRow& row);

}  // namespace rackwright::traces
