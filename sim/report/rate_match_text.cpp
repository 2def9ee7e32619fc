#include "sim/report/rate_match_text.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/report/numbers.h"

namespace rackwright::report {

std::string rate_match_text(const results::RateMatch& match) {
  return fmt::format("{}: at full load prefill takes {} requests/s, decode {}, transfer {}; {} binds", match.name,
                     rounded(match.prefill_requests_per_s), rounded(match.decode_requests_per_s), rounded(match.transfer_requests_per_s()),
                     match.binds());
}

std::string layer_sides_text(const results::LayerSides& sides) {
  return fmt::format("{}: at full load, {} sequences in {:.0f} micro-batch{}, a layer takes {} of attention, {} out, {} of feed-forward, {} back; {} binds",
                     sides.name, grouped(std::llround(sides.sequences)), sides.micro_batches, sides.micro_batches == 1 ? "" : "es",
                     quantity(sides.attention_s, "s"), quantity(sides.send_s, "s"), quantity(sides.feed_forward_s, "s"),
                     quantity(sides.return_s, "s"), sides.binds());
}

}  // namespace rackwright::report
