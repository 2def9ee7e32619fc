#pragma once

#include <string>
#include <vector>

namespace rackwright::test {

/// The longest transfer between two devices by what moves it, in GB/s.
struct PeerCopyRow {
  std::string name;
  double measured = 0;   ///< Two H200s of the committed profile.
  double published = 0;  ///< 1 GB between two of eight H100s, whose links are the same (ParallelKittens, arXiv:2511.13940, table 1).

  double difference() const { return measured / published - 1; }
};

std::vector<PeerCopyRow> peer_copy_rows();

/// A section of docs/validation.md.
std::string peer_copies_section();

}  // namespace rackwright::test
