#pragma once

#include <vector>

namespace rackwright::test {

/// Seconds of some requests: to the first token, per token after it, to the last one.
struct Latencies {
  std::vector<double> ttft, tpot, e2e;

  /// Both from its arrival. A request with one token has no time per token.
  void add(double first_token_s, double completion_s, int output_tokens);
};

double mean(const std::vector<double>& values);
/// Nearest rank.
double p99(std::vector<double> values);

}  // namespace rackwright::test
