#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace rackwright::topologies {

/// Disjoint sets of the numbers below `count`; the smaller representative wins, so results do not depend on order.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t find(std::size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }

  void unite(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace rackwright::topologies
