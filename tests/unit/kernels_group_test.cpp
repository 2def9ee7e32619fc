#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "models/kernels/shapes/group_cases.h"
#include "models/kernels/table/topology_text.h"
#include "tests/support/catch.h"

using namespace rackwright::kernels;

TEST_CASE("Collectives run over 2, 4, 8 … of a machine's GPUs, and over none of one") {
  CHECK(group_sizes(0).empty());
  CHECK(group_sizes(1).empty());
  CHECK(group_sizes(2) == std::vector<int>{2});
  CHECK(group_sizes(3) == std::vector<int>{2});
  CHECK(group_sizes(8) == std::vector<int>{2, 4, 8});
}

TEST_CASE("Messages double from 1 KiB to 1 GiB, with what a layer of width 8192 sends between, and ranks divide each") {
  // 21 powers of two; of 13 numbers of tokens times 16 KiB none is one.
  const auto sizes = collective_sizes(std::size_t{1} << 30, 1);
  CHECK(sizes.size() == 21 + 13);
  CHECK(sizes.front() == 1024);
  CHECK(sizes.back() == std::size_t{1} << 30);
  CHECK(std::ranges::is_sorted(sizes));
  // Parts of 2-byte elements, compared in words of 16 bytes.
  for (const std::size_t bytes : sizes) REQUIRE(bytes % (8 * 16) == 0);
  CHECK(collective_sizes(std::size_t{1} << 30, 10) == std::vector<std::size_t>{sizes[0], sizes[10], sizes[20], sizes[30]});
}

TEST_CASE("The peer matrix of more than two GPUs holds every ordered pair with each size once") {
  CHECK(peer_matrix(1).empty());
  CHECK(peer_matrix(2).empty());
  for (const int gpus : {3, 4, 8}) {
    std::set<std::tuple<int, int, std::size_t>> seen;
    std::set<std::size_t> sizes;
    for (const CopyInto& copy : peer_matrix(gpus)) {
      REQUIRE(copy.sources == 1);
      REQUIRE(copy.first_source != copy.target);
      sizes.insert(copy.bytes);
      REQUIRE(seen.insert({copy.source(0, gpus), copy.target, copy.bytes}).second);
    }
    CHECK(sizes.size() == 6);
    CHECK(seen.size() == static_cast<std::size_t>(gpus * (gpus - 1)) * sizes.size());
  }
}

TEST_CASE("Into every GPU copy 2, 4 … and all others at once") {
  const auto counts = [](int gpus) {
    std::set<int> result;
    for (const CopyInto& copy : fan_ins(gpus)) result.insert(copy.sources);
    return result;
  };
  CHECK(counts(1).empty());
  CHECK(counts(2).empty());
  CHECK(counts(3) == std::set{2});
  CHECK(counts(4) == std::set{2, 3});
  CHECK(counts(8) == std::set{2, 4, 7});
  for (const CopyInto& copy : fan_ins(8)) {
    // Sources are different GPUs, none is the target, and each knows its place.
    int senders = 0;
    for (int gpu = 0; gpu < 8; ++gpu) senders += copy.place_of(gpu, 8) >= 0 ? 1 : 0;
    REQUIRE(senders == copy.sources);
    REQUIRE(copy.place_of(copy.target, 8) == -1);
    for (int place = 0; place < copy.sources; ++place) REQUIRE(copy.place_of(copy.source(place, 8), 8) == place);
    REQUIRE(static_cast<std::size_t>(copy.sources) * copy.bytes <= std::size_t{1} << 30);
  }
}

TEST_CASE("What a collective must leave on each rank is what its definition says") {
  // Four ranks, eight elements each: rank r holds 10 r + i. The sum over the ranks at i is 60 + 4 i.
  constexpr int ranks = 4;
  constexpr std::size_t elements = 8;
  const auto input = [](int rank, std::size_t i) { return 10 * rank + static_cast<int>(i); };
  const auto result = [&](Collective op, int rank) {
    std::vector<int> values;
    for (const ExpectedPart& part : expected_parts(op, ranks, rank, elements)) {
      REQUIRE(part.at == values.size());
      for (std::size_t i = 0; i < part.count; ++i) {
        int sum = 0;
        for (int s = 0; s < part.sources; ++s) sum += input(part.first_source + s, part.from + i);
        values.push_back(sum);
      }
    }
    return values;
  };
  CHECK(result(Collective::all_reduce, 2) == std::vector{60, 64, 68, 72, 76, 80, 84, 88});
  CHECK(result(Collective::reduce_scatter, 2) == std::vector{76, 80});
  CHECK(result(Collective::all_gather, 2) == std::vector{0, 1, 10, 11, 20, 21, 30, 31});
  CHECK(result(Collective::all_to_all, 2) == std::vector{4, 5, 14, 15, 24, 25, 34, 35});
  CHECK(result(Collective::send_recv, 2).empty());
  CHECK(result(Collective::send_recv, 3) == std::vector{20, 21, 22, 23, 24, 25, 26, 27});
}

TEST_CASE("Eight GPUs take few enough cases for two minutes") {
  // By the times of the pair's run, a tenth of a second a case with its checks and rests.
  std::size_t cases = std::size(collectives) * group_sizes(8).size() * collective_sizes(std::size_t{1} << 30, 1).size();
  cases += peer_matrix(8).size() + fan_ins(8).size();
  CHECK(cases <= 1000);
}

TEST_CASE("The topology says in one entry what all GPUs share, and in one for each what they do not") {
  CHECK(topology_text(std::vector<NvlinkCount>{}) == "no GPU");
  CHECK(topology_text(std::vector<NvlinkCount>(8, {18, 0, 0})) == "every GPU: 18 NVLinks to switches");
  CHECK(topology_text(std::vector<NvlinkCount>{{0, 4, 0}, {0, 0, 0}}) == "GPU 0: 4 NVLinks to other GPUs; GPU 1: no NVLink seen");
}
