#include "sim/report/rate_match_text.h"

#include <fmt/format.h>

#include "sim/report/numbers.h"

namespace rackwright::report {

std::string rate_match_text(const results::RateMatch& match) {
  return fmt::format("{}: at full load prefill takes {} requests/s, decode {}, transfer {}; {} binds", match.name,
                     rounded(match.prefill_requests_per_s), rounded(match.decode_requests_per_s), rounded(match.transfer_requests_per_s()),
                     match.binds());
}

}  // namespace rackwright::report
