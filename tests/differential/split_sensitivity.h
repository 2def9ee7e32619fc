#pragma once

#include <array>
#include <string>
#include <vector>

namespace rackwright::test {

/// What issue 8 asks of prompts and tokens apart on two H200s, at one rate.
struct SplitFigures {
  double ttft_ms = 0;
  double tpot_ms = 0;
  double e2e_ms = 0;
  double requests_per_s = 0;
  double prompts_kj = 0;
  double tokens_kj = 0;
  double duration_s = 0;
  double exposed_us = 0;  ///< Mean time from a first token until the KV was there.

  /// The first six, in that order.
  std::array<double, 6> compared() const { return {ttft_ms, tpot_ms, e2e_ms, requests_per_s, prompts_kj, tokens_kj}; }
};

/// One assumption of scenarios/library/disaggregation/pd_two_h200.yaml made otherwise.
struct SplitAssumption {
  std::string name;  ///< "prompts not padded".
  std::array<double, 6> most_change{};  ///< Of each figure, signed: the furthest from 0 of four rates.
};

struct SplitSensitivity {
  std::vector<double> rates;            ///< Requests/s.
  std::vector<SplitFigures> figures;    ///< At each, as the file stands.
  std::vector<SplitAssumption> assumptions;
};

SplitSensitivity split_sensitivity();

/// A section of docs/validation.md.
std::string split_sensitivity_page();

}  // namespace rackwright::test
