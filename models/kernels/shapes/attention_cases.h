#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rackwright::kernels {

/// Heads of one device.
struct HeadShape {
  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 128;
};

/// `sequences` prompts alike: `new_tokens` queries each, after `past_tokens` whose keys exist.
struct PrefillCase {
  HeadShape heads;
  int sequences = 1;
  int new_tokens = 0;
  int past_tokens = 0;
  long kv_tokens() const { return static_cast<long>(sequences) * (new_tokens + past_tokens); }
};

enum class Lengths { even, uneven, one_long };
std::string name_of(Lengths lengths);

/// One query a sequence; `context` is the mean length, this token included.
struct DecodeCase {
  HeadShape heads;
  int batch = 0;
  int context = 0;
  Lengths lengths = Lengths::even;
  /// Length of each sequence, at least 1. `seed` draws the uneven ones.
  std::vector<int> contexts(std::uint64_t seed) const;
  long kv_bytes() const { return 4L * heads.kv_heads * heads.head_dim * batch * context; }
};

/// Absorbed multi-head latent attention (DeepSeek-V3: latent 512, rope 64).
struct MlaCase {
  int heads = 0;
  int batch = 0;
  int context = 0;
  static constexpr int latent = 512;
  static constexpr int rope = 64;
};

std::vector<PrefillCase> prefill_grid();
std::vector<DecodeCase> decode_grid();
std::vector<MlaCase> mla_grid();

/// Off-grid shapes for checks; the same seed gives the same shapes.
std::vector<PrefillCase> prefill_off_grid(std::uint64_t seed, int count);
std::vector<DecodeCase> decode_off_grid(std::uint64_t seed, int count);

}  // namespace rackwright::kernels
