#pragma once

#include <string>
#include <vector>

namespace rackwright::test {

/// One figure of two H200s of the committed profile beside a published one of two H100s, whose links are the same.
struct PairRow {
  std::string name;
  double measured = 0;
  double published = 0;

  double difference() const { return measured / published - 1; }
};

/// NCCL's all-reduce between two devices, in microseconds; published: AIConfigurator's NCCL tests on two H100 (facts NET-2).
std::vector<PairRow> pair_all_reduces();

/// The longest transfer between two devices by what moves it, in GB/s; published: 1 GB between two of eight H100 (ParallelKittens,
/// arXiv:2511.13940, table 1).
std::vector<PairRow> pair_copies();

/// Both as a section of docs/validation.md.
std::string pair_rows_page();

}  // namespace rackwright::test
