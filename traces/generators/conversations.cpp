#include "traces/generators/conversations.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rackwright::traces {
namespace {

/// How far around the drawn distance a fitting prompt is looked for, in requests.
constexpr std::uint64_t widest_search = 256;
/// A prompt and its answer fit when they are within this share of the wanted length.
constexpr double fitting_share = 0.1;

}  // namespace

Conversations::Conversations(const ConversationSpec& spec, QuantileTable first_input, RandomStream draws)
    : spec_(spec), first_input_(std::move(first_input)), draws_(draws) {
  next_block_ = draws_();
  next_session_ = draws_() | 1;
  head_ = std::exchange(next_block_, next_block_ + static_cast<std::uint64_t>(spec_.head_blocks));
  const double farthest = std::max(spec_.distance.at(std::nextafter(1.0, 0.0)), spec_.fork_distance.at(std::nextafter(1.0, 0.0)));
  past_.resize(static_cast<std::size_t>(farthest) + widest_search + 2);
}

/// The request that many before this one, or null where the stream does not reach back so far.
Conversations::Past* Conversations::earlier(std::uint64_t distance) {
  if (distance == 0 || distance > given_ || distance >= past_.size()) return nullptr;
  return &past_[(given_ - distance) % past_.size()];
}

/// The nearest request to that many before this one whose prompt has at least so many blocks, or null.
Conversations::Past* Conversations::with_blocks(std::uint64_t distance, std::size_t blocks) {
  for (std::uint64_t step = 0; step < widest_search; ++step) {
    for (const std::uint64_t candidate : {distance + step, distance > step ? distance - step : 0}) {
      Past* past = earlier(candidate);
      if (past && past->blocks.size() >= blocks) return past;
    }
  }
  return nullptr;
}

/// Among those around that distance which were not continued yet, the nearest whose prompt and answer have about so
/// many tokens, else the one that comes closest, or null. A prompt without a full block behind the common head could
/// not be seen to be continued in a trace, so it is not here either.
Conversations::Past* Conversations::to_continue(std::uint64_t distance, double tokens) {
  const std::int32_t least_prompt = (spec_.head_blocks + 1) * spec_.block_tokens;
  Past* closest = nullptr;
  double least_error = 0;
  for (std::uint64_t step = 0; step < widest_search; ++step) {
    for (const std::uint64_t candidate : {distance + step, distance > step ? distance - step : 0}) {
      Past* past = earlier(candidate);
      if (!past || past->continued || past->input_tokens < least_prompt) continue;
      const double error = std::abs(past->input_tokens + past->output_tokens - tokens);
      if (error <= fitting_share * tokens) return past;
      if (closest && error >= least_error) continue;
      closest = past;
      least_error = error;
    }
  }
  return closest;
}

std::size_t Conversations::blocks_of(std::int32_t tokens) const {
  return static_cast<std::size_t>((static_cast<std::int64_t>(tokens) + spec_.block_tokens - 1) / spec_.block_tokens);
}

/// Takes the first `blocks` hashes of an earlier prompt, as far as both prompts have them.
void Conversations::share(const Past& past, std::size_t blocks, Request& request) {
  const std::size_t shared = std::min({blocks, past.blocks.size(), blocks_of(request.input_tokens)});
  request.block_hashes.assign(past.blocks.begin(), past.blocks.begin() + static_cast<std::ptrdiff_t>(shared));
}

void Conversations::fill(Request& request) {
  const double kind = draws_.uniform();
  request.block_hashes.clear();
  request.block_tokens = spec_.block_tokens;
  request.session = 0;
  if (kind < spec_.continue_share) {
    const auto distance = static_cast<std::uint64_t>(spec_.distance.at(draws_.uniform()));
    const std::int32_t tokens = spec_.continued_input.tokens_at(draws_.uniform());
    const double before = std::max(1.0, tokens - spec_.growth.at(draws_.uniform()));
    if (Past* past = to_continue(distance, before)) {
      request.input_tokens = tokens;
      request.session = past->session;
      past->continued = true;
      share(*past, static_cast<std::size_t>(past->input_tokens / spec_.block_tokens), request);
    }
  } else if (kind < spec_.continue_share + spec_.fork_share) {
    const auto distance = static_cast<std::uint64_t>(spec_.fork_distance.at(draws_.uniform()));
    const auto blocks = static_cast<std::size_t>(std::max(1.0, spec_.fork_blocks.at(draws_.uniform())));
    if (const Past* past = with_blocks(distance, blocks)) {
      request.input_tokens = spec_.fork_input.tokens_at(draws_.uniform());
      share(*past, blocks, request);
    }
  }
  if (request.block_hashes.empty() && request.session == 0) request.input_tokens = first_input_.tokens_at(draws_.uniform());
  if (request.session == 0) request.session = next_session_ += 2;
  for (std::size_t block = request.block_hashes.size(); block < blocks_of(request.input_tokens); ++block) {
    const bool head = block < static_cast<std::size_t>(spec_.head_blocks);
    request.block_hashes.push_back(head ? head_ + block : next_block_++);
  }
  Past& self = past_[given_++ % past_.size()];
  self.input_tokens = request.input_tokens;
  self.output_tokens = request.output_tokens;
  self.continued = false;
  self.session = request.session;
  self.blocks = request.block_hashes;
}

}  // namespace rackwright::traces
