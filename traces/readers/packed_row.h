#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/readers/clean_row.h"

namespace rackwright::traces {

/// A row without its lists (block hashes, tools), in a form of fixed size for large tables and files.
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
  std::int64_t speech_ps;
  double acceptance;        ///< -1: none.
  std::uint64_t words_at;   ///< Where the owner of the row keeps the words of its lists.
  std::uint32_t hash_count;
  std::uint32_t tool_count;
  std::int32_t block_tokens;
  std::int32_t input_tokens;
  std::int32_t output_tokens;
  std::uint32_t model;
  std::uint32_t request_class;
  std::int32_t reasoning_tokens;
  std::uint32_t is_tool;

  /// One for each hash and two for each tool.
  std::size_t words() const { return hash_count + 2 * std::size_t{tool_count}; }
};

PackedRow pack(const CleanRow& row);

/// Leaves the lists of `row` to the caller.
void unpack(const PackedRow& packed, CleanRow& row);

/// The lists of a row as words, and back.
void words_of(const CleanRow& row, std::vector<std::uint64_t>& words);
void take_words(const std::vector<std::uint64_t>& words, const PackedRow& packed, CleanRow& row);

}  // namespace rackwright::traces
