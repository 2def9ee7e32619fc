#pragma once

#include <QString>
#include <string>

#include "tests/support/catch.h"

namespace Catch {
template <>
struct StringMaker<QString> {
  static std::string convert(const QString& text) { return '"' + text.toStdString() + '"'; }
};
}  // namespace Catch

namespace rackwright::test {

/// A scenario with more than one of everything, comments, and both styles of YAML.
inline const std::string hallText = R"(# The hall of the review in May.
schema: rackwright/v1
name: Review
seed: 7            # as in the paper
workload: {generator: azure-conversation-2023, rate: 8 /s, duration: 1 min}
facility:
  racks:
    - {name: a, rack: hgx-h200-air}     # the first of them
    - name: b
      rack: {preset: hgx-h200-air, power_budget: 40 kW}
deployment:
  # Chat goes here.
  - {pool: chat, model: llama-3.1-8b, on: a}
  - pool: long
    model: llama-3.1-8b
    on: b
    scheduler: {policy: sarathi, token_budget: 512}   # as measured
slo: {ttft_p99: 500 ms, tpot_p99: 40 ms}
)";

/// Long enough to be interrupted: a run of many seconds.
inline const std::string longRunText = R"(schema: rackwright/v1
workload: {generator: azure-conversation-2023, rate: 400 /s, requests: 5000000}
facility: {racks: [{name: hall, rack: hgx-h200-4, count: 16}]}
deployment:
  - {pool: chat, model: llama-3.1-70b, on: hall, tensor_parallel: 8}
)";

}  // namespace rackwright::test
