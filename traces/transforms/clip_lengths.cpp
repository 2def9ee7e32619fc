#include <algorithm>
#include <utility>

#include "models/base/invariant.h"
#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

class Clipped final : public RequestSource {
 public:
  Clipped(Requests source, LengthLimits limits, RowCounts& counts) : source_(std::move(source)), limits_(limits), counts_(counts) {
    invariant(limits.input_tokens.value_or(1) >= 1 && limits.output_tokens.value_or(1) >= 1 && limits.total_tokens.value_or(2) >= 2,
              "length limits leave room for a request");
  }

  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    const std::int32_t input = request.input_tokens;
    const std::int32_t output = request.output_tokens;
    if (limits_.input_tokens) request.input_tokens = std::min(request.input_tokens, *limits_.input_tokens);
    if (limits_.output_tokens) request.output_tokens = std::min(request.output_tokens, *limits_.output_tokens);
    if (limits_.total_tokens) {
      request.output_tokens = std::min(request.output_tokens, *limits_.total_tokens - 1);
      request.input_tokens = std::min(request.input_tokens, *limits_.total_tokens - request.output_tokens);
    }
    if (request.input_tokens == input && request.output_tokens == output) return true;
    request.reasoning_tokens = std::min(request.reasoning_tokens, request.output_tokens - 1);
    counts_.add(RowCause::over_long, RowFate::repaired, request.id + 1);
    if (request.block_tokens > 0) {
      const auto blocks = static_cast<std::size_t>((static_cast<std::int64_t>(request.input_tokens) + request.block_tokens - 1) / request.block_tokens);
      if (blocks < request.block_hashes.size()) request.block_hashes.resize(blocks);
    }
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  Requests source_;
  LengthLimits limits_;
  RowCounts& counts_;
};

}  // namespace

Requests clip_lengths(Requests source, LengthLimits limits, RowCounts& counts) {
  return std::make_unique<Clipped>(std::move(source), limits, counts);
}

}  // namespace rackwright::traces
