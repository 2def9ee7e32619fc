#include "traces/readers/packed_row.h"

namespace rackwright::traces {
namespace {

std::int64_t pack(const std::optional<SimTime>& time) { return time ? time->ps : -1; }
std::optional<SimTime> unpack(std::int64_t ps) { return ps < 0 ? std::nullopt : std::optional(SimTime{ps}); }

}  // namespace

PackedRow pack(const CleanRow& row) {
  const Request& r = row.request;
  return {.arrival = row.arrival,
          .first_token_ps = pack(row.first_token_after),
          .completion_ps = pack(row.completion_after),
          .think_time_ps = pack(row.think_time),
          .id_key = row.id_key,
          .parent_key = row.parent_key,
          .line = row.line,
          .position = row.position,
          .session = r.session,
          .speech_ps = r.speech.ps,
          .acceptance = r.acceptance.value_or(-1),
          .words_at = 0,
          .hash_count = static_cast<std::uint32_t>(r.block_hashes.size()),
          .tool_count = static_cast<std::uint32_t>(r.tools.size()),
          .block_tokens = r.block_tokens,
          .input_tokens = r.input_tokens,
          .output_tokens = r.output_tokens,
          .model = r.model,
          .request_class = r.request_class,
          .reasoning_tokens = r.reasoning_tokens,
          .is_tool = row.is_tool ? 1u : 0u};
}

void unpack(const PackedRow& packed, CleanRow& row) {
  row.arrival = packed.arrival;
  row.first_token_after = unpack(packed.first_token_ps);
  row.completion_after = unpack(packed.completion_ps);
  row.think_time = unpack(packed.think_time_ps);
  row.id_key = packed.id_key;
  row.parent_key = packed.parent_key;
  row.line = packed.line;
  row.position = packed.position;
  row.request.session = packed.session;
  row.request.block_tokens = packed.block_tokens;
  row.request.input_tokens = packed.input_tokens;
  row.request.output_tokens = packed.output_tokens;
  row.request.model = packed.model;
  row.request.request_class = packed.request_class;
  row.request.reasoning_tokens = packed.reasoning_tokens;
  row.request.speech = SimTime{packed.speech_ps};
  row.request.acceptance = packed.acceptance < 0 ? std::nullopt : std::optional(packed.acceptance);
  row.is_tool = packed.is_tool != 0;
}

void words_of(const CleanRow& row, std::vector<std::uint64_t>& words) {
  words = row.request.block_hashes;
  for (const ToolStep& step : row.request.tools) {
    words.push_back(std::uint64_t{step.tool} << 32 | static_cast<std::uint32_t>(step.round));
    words.push_back(static_cast<std::uint64_t>(step.work.ps));
  }
}

void take_words(const std::vector<std::uint64_t>& words, const PackedRow& packed, CleanRow& row) {
  row.request.block_hashes.assign(words.begin(), words.begin() + packed.hash_count);
  row.request.tools.clear();
  for (std::size_t at = packed.hash_count; at < words.size(); at += 2) {
    const auto round = static_cast<std::int32_t>(static_cast<std::uint32_t>(words[at]));
    row.request.tools.push_back({static_cast<std::uint32_t>(words[at] >> 32), SimTime{static_cast<std::int64_t>(words[at + 1])}, round});
  }
}

}  // namespace rackwright::traces
