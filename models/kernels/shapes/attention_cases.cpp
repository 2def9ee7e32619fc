#include "models/kernels/shapes/attention_cases.h"

#include <algorithm>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <numeric>

#include "models/base/random.h"

namespace rackwright::kernels {
namespace {

const HeadShape llama_8b_heads{32, 8};
const HeadShape llama_70b_tp2_heads{32, 4};

double log_uniform(RandomStream& random, double low, double high) {
  return std::exp(std::lerp(std::log(low), std::log(high), random.uniform()));
}

/// σ of the logarithm of context lengths: about the spread of public chat traces.
constexpr double uneven_sigma = 0.8;

std::vector<int> log_normal_lengths(int count, int mean, std::uint64_t seed) {
  RandomStream random = RandomStream(seed, "decode", "lengths").at(count, mean);
  boost::random::normal_distribution<double> normal(0, uneven_sigma);
  std::vector<double> draws(count);
  for (double& draw : draws) draw = std::exp(normal(random));
  const double scale = static_cast<double>(mean) * count / std::accumulate(draws.begin(), draws.end(), 0.0);
  std::vector<int> lengths(count);
  for (int i = 0; i < count; ++i) lengths[i] = std::max(1, static_cast<int>(std::lround(draws[i] * scale)));
  return lengths;
}

}  // namespace

std::string name_of(Lengths lengths) {
  switch (lengths) {
    case Lengths::even: return "even";
    case Lengths::uneven: return "uneven";
    case Lengths::one_long: return "one_long";
  }
  return {};
}

std::vector<int> DecodeCase::contexts(std::uint64_t seed) const {
  if (lengths == Lengths::uneven) return log_normal_lengths(batch, context, seed);
  std::vector<int> result(batch, context);
  if (lengths == Lengths::one_long) {
    // The long one is 16 times the mean, or half of all tokens when that is less.
    const long all = static_cast<long>(context) * batch;
    const int longest = static_cast<int>(std::min(16L * context, all / 2));
    std::fill(result.begin(), result.end(), std::max(1, static_cast<int>((all - longest) / std::max(1, batch - 1))));
    result.back() = longest;
  }
  return result;
}

std::vector<PrefillCase> prefill_grid() {
  std::vector<PrefillCase> cases;
  const std::vector<int> chunk{16, 64, 128, 192, 256, 384, 512, 640, 768, 1024, 1280, 1536, 1792, 2048};
  for (const auto& heads : {llama_8b_heads, llama_70b_tp2_heads}) {
    for (int n : chunk)
      for (int past : {0, 512, 1024, 2048, 4096, 6144, 8192, 16384, 32768}) cases.push_back({heads, 1, n, past});
    for (int n : {4096, 8192, 16384}) cases.push_back({heads, 1, n, 0});
    for (int sequences : {2, 4, 8})
      for (int n : {16, 64, 128, 256, 512, 1024})
        for (int past : {0, 1024}) cases.push_back({heads, sequences, n, past});
  }
  const HeadShape others[] = {{64, 8}, {16, 4}, {16, 2}, {8, 1}, {128, 8}, {16, 1}, {32, 32}};
  for (const auto& heads : others)
    for (int n : {64, 256, 512, 1024, 2048, 4096, 8192})
      for (int past : {0, 2048, 8192}) cases.push_back({heads, 1, n, past});
  return cases;
}

std::vector<DecodeCase> decode_grid() {
  std::vector<DecodeCase> cases;
  const std::vector<int> context{128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768, 65536, 131072};
  for (const auto& heads : {llama_8b_heads, llama_70b_tp2_heads}) {
    for (int batch : {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 128, 192, 256})
      for (int c : context) cases.push_back({heads, batch, c, Lengths::even});
    for (int batch : {1, 8, 32, 80}) cases.push_back({heads, batch, 1, Lengths::even});
    for (int batch : {8, 16, 32, 64, 80, 128, 256})
      for (int c : {256, 512, 1024, 2048, 4096, 8192})
        for (Lengths lengths : {Lengths::uneven, Lengths::one_long}) cases.push_back({heads, batch, c, lengths});
  }
  const HeadShape others[] = {{64, 8}, {16, 4}, {16, 2}, {8, 1}, {16, 1}, {64, 4}, {32, 32}};
  for (const auto& heads : others)
    for (int batch : {1, 4, 16, 64, 128, 256})
      for (int c : {128, 512, 2048, 8192, 32768, 131072}) cases.push_back({heads, batch, c, Lengths::even});
  return cases;
}

std::vector<MlaCase> mla_grid() {
  std::vector<MlaCase> cases;
  for (int heads : {16, 64, 128})
    for (int batch : {1, 4, 16, 64, 128, 256})
      for (int context : {128, 512, 2048, 8192, 32768, 131072}) cases.push_back({heads, batch, context});
  return cases;
}

std::vector<PrefillCase> prefill_off_grid(std::uint64_t seed, int count) {
  RandomStream random(seed, "prefill", "off-grid");
  std::vector<PrefillCase> cases;
  for (int i = 0; i < count; ++i) {
    const auto heads = i % 2 == 0 ? llama_8b_heads : llama_70b_tp2_heads;
    const int n = static_cast<int>(log_uniform(random, 20, 2048));
    const int past = random.uniform() < 0.3 ? 0 : static_cast<int>(log_uniform(random, 100, 30000));
    cases.push_back({heads, 1, n, past});
  }
  return cases;
}

std::vector<DecodeCase> decode_off_grid(std::uint64_t seed, int count) {
  RandomStream random(seed, "decode", "off-grid");
  std::vector<DecodeCase> cases;
  for (int i = 0; i < count; ++i) {
    const auto heads = i % 2 == 0 ? llama_8b_heads : llama_70b_tp2_heads;
    const int batch = static_cast<int>(log_uniform(random, 1, 256));
    const int context = static_cast<int>(log_uniform(random, 100, 20000));
    cases.push_back({heads, batch, context, i % 4 < 2 ? Lengths::even : Lengths::uneven});
  }
  return cases;
}

}  // namespace rackwright::kernels
