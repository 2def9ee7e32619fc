#include "models/llm/kv_layout.h"
#include "tests/support/catch.h"
#include "tests/support/model_preset.h"

using namespace rackwright;
using namespace rackwright::llm;

namespace {

KvLayout layout_of(const char* preset, int block_tokens = 16, WindowedRows rows = WindowedRows::freed) {
  return kv_layout(test::model_preset(preset), block_tokens, rows);
}

/// Gemma 3 27B (config.json): 62 layers, every sixth keeps all, the others the last 1,024 tokens; 16 KV heads of 128.
ModelShape gemma_3_27b() {
  ModelShape model = test::model_preset("llama-3.1-8b");
  AttentionShape sliding{.kind = AttentionKind::sliding, .query_heads = 32, .kv_heads = 16, .head_dim = 128, .window_tokens = 1024};
  AttentionShape full = sliding;
  full.kind = AttentionKind::full;
  full.window_tokens = 0;
  model.layers.clear();
  for (int i = 0; i < 10; ++i) {
    model.layers.push_back({.count = 5, .attention = sliding});
    model.layers.push_back({.count = 1, .attention = full});
  }
  model.layers.push_back({.count = 2, .attention = sliding});
  model.repeats = 1;
  return model;
}

}  // namespace

TEST_CASE("A model without windows has one group, whose blocks are those of its tokens") {
  const KvLayout layout = layout_of("llama-3.1-8b");
  CHECK(layout.groups() == 1);
  CHECK_FALSE(layout.has_windows());
  CHECK(layout.blocks_for(0) == 0);
  CHECK(layout.blocks_for(1) == 1);
  CHECK(layout.blocks_for(16) == 1);
  CHECK(layout.blocks_for(17) == 2);
  CHECK(layout.longest(10) == 160);
}

TEST_CASE("Layers of Gemma 3 27B form seven groups of ten, as in vLLM") {
  // 10 layers keep all: group size 10. 52 keep 1,024 tokens: ceil(52 / 10) = 6 groups.
  const KvLayout layout = kv_layout(gemma_3_27b(), 16, WindowedRows::freed);
  CHECK(layout.full_groups() == 1);
  CHECK(layout.groups() == 7);
  // 1,023 tokens before the new one touch at worst ceil(1023 / 16) + 1 = 65 blocks.
  CHECK(layout.blocks_for(1024) == 7 * 64);
  CHECK(layout.blocks_for(1040) == 7 * 65);
  CHECK(layout.blocks_for(1041) == 66 + 6 * 65);
  CHECK(layout.blocks_for(131'072) == 8192 + 6 * 65);
  CHECK(layout.longest(8192 + 6 * 65) == 131'072);
  CHECK(layout.longest(8192 + 6 * 65 - 1) == 131'056);
  // A block holds 16 tokens of ten layers of 2 · 16 · 128 values of two bytes, whichever they are.
  Diagnostics none;
  const ShardedShape whole = shard(gemma_3_27b(), {}, {}, "", none);
  CHECK(group_bytes_per_token(whole, layout) == Approx(10 * 2 * 16 * 128 * 2));
  CHECK(group_bytes_per_token(shard(gemma_3_27b(), {.tensor = 4}, {}, "", none), layout) == Approx(10 * 2 * 4 * 128 * 2));
}

TEST_CASE("gpt-oss has a group of each kind, Llama 4 Scout one and three, and Gemma 4 one and ten by bytes") {
  CHECK(layout_of("gpt-oss-120b").full_groups() == 1);
  CHECK(layout_of("gpt-oss-120b").groups() == 2);
  // 4,096 tokens: 256 blocks that keep all, and ceil(127 / 16) + 1 = 9 of the window of 128.
  CHECK(layout_of("gpt-oss-120b").blocks_for(4096) == 256 + 9);
  CHECK(layout_of("llama-4-scout").groups() == 4);
  // Five layers of 2 · 2 · 512 values, and 25 of twice as many.
  CHECK(layout_of("gemma-4-26b-a4b").groups() == 11);
}

TEST_CASE("Rows that are kept make one group") {
  CHECK(layout_of("gpt-oss-120b", 16, WindowedRows::kept).groups() == 1);
  CHECK(layout_of("gpt-oss-120b", 16, WindowedRows::kept).blocks_for(4096) == 256);
}

TEST_CASE("KV that is sent leaves out the rows behind the windows") {
  // gpt-oss-120b: 2 · 8 · 64 values of two bytes a layer; 18 layers keep all, 18 keep 128 tokens.
  const ModelShape model = test::model_preset("gpt-oss-120b");
  const KvBytes bytes = kv_bytes_by_length(model, WindowedRows::freed);
  CHECK(bytes.of(100) == 36 * 2048.0 * 100);
  CHECK(bytes.of(4096) == 18 * 2048.0 * (4096 + 128));
  CHECK(bytes.of(4096) == kv_bytes(model, 4096));
  CHECK(kv_bytes_by_length(model, WindowedRows::kept).of(4096) == 36 * 2048.0 * 4096);
}
