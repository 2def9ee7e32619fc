#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "models/llm/operator.h"

namespace rackwright::cost {

/// What operators of one class reach of max(flops / F, bytes / W), by two measures of how hard that is: see share_place.
///
/// Measured points fall into cells of half an octave, each with the median of the logarithms of their shares at the mean of
/// their places. Between cells: the mean of the four nearest, weighted with 1 / (distance² + 0.05)². Chosen on an H200's grid and
/// its points off the grid: with the median by intensity alone the errors were two to four times as large (docs/models/roofline_cost.md).
class ShareMap {
 public:
  struct Place {
    double x = 0;
    double y = 0;
  };

  void add(const Place& place, double share);
  /// Makes the cells of what was added.
  void settle();
  bool empty() const { return cells_.empty(); }
  double at(const Place& place) const;

 private:
  struct Cell {
    Place at;
    double log_share = 0;
  };
  std::map<std::pair<int, int>, std::vector<Cell>> added_;
  std::vector<Cell> cells_;
};

/// Prompts: the blocks of rows that its multiprocessors share out (new tokens times query heads over their number), and the keys that a
/// row meets. All others: arithmetic against memory time at the device's peaks, and the greater of the two. In log2.
ShareMap::Place share_place(const llm::Operator& op, double compute_s, double memory_s, double multiprocessors);

}  // namespace rackwright::cost
