#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "models/cost/grid_table.h"
#include "models/cost/transfer_mechanism.h"
#include "models/llm/operator.h"

namespace rackwright::cost {

/// The families of measured tables, with their axes.
enum class ProfileFamily {
  gemm,               ///< m
  grouped_gemm,       ///< groups in use, rows
  prefill_attention,  ///< new tokens, past tokens; one sequence
  decode_attention,   ///< sequences, mean context
  mixed_attention,    ///< tokens of one chunk, its past, decode sequences, their mean context
  memory,             ///< width, tokens
  collective,         ///< bytes
};

/// What runs a collective: the library, or a kernel that reads the peer's memory once.
enum class CollectiveKernel { library, one_shot };

/// Which operators one table holds: those of the family that agree in what the axes do not vary.
struct ProfileKey {
  ProfileFamily family = ProfileFamily::gemm;
  /// gemm, grouped_gemm: the NumberFormat; memory, collective: the OperatorKind; else 0.
  int variant = 0;
  /// gemm, grouped_gemm: n, k. Attention: query heads, KV heads, key width, value width. Collective: ranks, CollectiveKernel.
  std::array<int, 4> shape{};
  auto operator<=>(const ProfileKey&) const = default;
};

int axis_count(ProfileFamily family);

/// Where an operator lies in the tables.
struct ProfilePlace {
  ProfileKey key;
  std::array<double, GridTable::most_axes> at{};
};
ProfilePlace place_of(const llm::Operator& op);

/// The operator that lies at a place, one call of it, with the flops and bytes of 16-bit activations and KV cache.
/// Mixed attention has none.
llm::Operator operator_at(const ProfilePlace& place);

struct ProfilePoint {
  ProfilePlace place;
  double seconds = 0;
  double sm_clock_hz = 0;  ///< While it ran; 0 when not taken.
};

/// Attention over sequences of different lengths, to be held against even ones.
struct UnevenPoint {
  ProfilePlace even;       ///< As if every context were the mean.
  double longest = 0;
  double seconds = 0;
};

/// Electric power of the device under one steady load.
struct PowerPoint {
  double busy = 0;         ///< Share of the time with a kernel running.
  double flop_per_s = 0;   ///< Of matrix products, mean.
  double bytes_per_s = 0;  ///< Compulsory traffic of memory, mean.
  double sm_clock_hz = 0;
  double watts = 0;
  bool whole_step = false;  ///< Forward passes, not one kind of operator.
};

/// What was measured on one device.
struct OperatorProfile {
  std::string device;
  std::string source;
  double full_clock_hz = 0;              ///< Highest SM clock of the device; 0 when not known.
  std::vector<ProfilePoint> points;
  std::vector<ProfilePoint> check;       ///< Off-grid, never used for fitting.
  std::vector<UnevenPoint> uneven;
  std::optional<double> idle_w;
  std::vector<PowerPoint> power;
  std::optional<double> limit_w;         ///< The board's power limit meanwhile.
  double card_share = 1;                 ///< Power above idle that the mean of several cards drew, over that of the metered one.
  std::vector<TransferSeries> transfers; ///< Between two such devices.
};

}  // namespace rackwright::cost
