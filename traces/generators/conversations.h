#pragma once

#include <cstdint>
#include <vector>

#include "models/base/random.h"
#include "traces/generators/generator.h"

namespace rackwright::traces {

/// Gives each request a prompt length, block hashes and a session (see ConversationSpec).
class Conversations {
 public:
  Conversations(const ConversationSpec& spec, QuantileTable first_input, RandomStream draws);

  /// `request.output_tokens` is set; fills the rest.
  void fill(Request& request);

 private:
  /// What later requests need to know of an earlier one.
  struct Past {
    std::int32_t input_tokens = 0;
    std::int32_t output_tokens = 0;
    bool continued = false;
    std::uint64_t session = 0;
    std::vector<std::uint64_t> blocks;
  };

  Past* earlier(std::uint64_t distance);
  Past* with_blocks(std::uint64_t distance, std::size_t blocks);
  Past* to_continue(std::uint64_t distance, double tokens);
  std::size_t blocks_of(std::int32_t tokens) const;
  void share(const Past& past, std::size_t blocks, Request& request);

  ConversationSpec spec_;
  QuantileTable first_input_;
  RandomStream draws_;
  std::uint64_t next_block_;    ///< Hashes count up from a random start, so that two workloads do not meet.
  std::uint64_t next_session_;
  std::uint64_t head_;
  std::uint64_t given_ = 0;
  std::vector<Past> past_;      ///< The last requests, at index (number mod size).
};

}  // namespace rackwright::traces
