#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scenarios/results/step_stretch.h"

namespace rackwright::results {

/// Stretches of one instance that lie together in the file.
struct StepBlock {
  std::uint32_t instance = 0;
  std::uint32_t count = 0;       ///< Of stretches.
  std::int64_t first_row = 0;    ///< Stretches of the instance before it.
  SimTime start;                 ///< Of its first stretch.
  SimTime end;                   ///< The last end.
  std::int64_t kv_blocks = 0;
  StepTotals totals;
  std::uint64_t offset = 0;      ///< In the file, of its record,
  std::uint32_t bytes = 0;       ///< which is so long.
};

/// The steps of a run: knows where they lie and what they add up to, and reads only what is asked for.
/// Every function but the constructor may be called from several threads at once.
class StepsReader {
 public:
  /// Reads the heads of the blocks. Throws EnvironmentError when the file cannot be read and DamagedStream when it is not
  /// of steps; damage after the first record ends the steps there. Ends early once `stopped`.
  StepsReader(std::filesystem::path path, const std::atomic<bool>& stopped);
  ~StepsReader();
  StepsReader(const StepsReader&) = delete;
  StepsReader& operator=(const StepsReader&) = delete;

  /// Empty when the file has its end, else what is missing.
  const std::string& partial_reason() const { return partial_reason_; }
  std::uint32_t instances() const { return static_cast<std::uint32_t>(blocks_.size()); }
  /// In the order of their ends.
  std::span<const StepBlock> blocks(std::uint32_t instance) const { return blocks_[instance]; }
  /// Stretches of an instance.
  std::int64_t rows(std::uint32_t instance) const;
  /// The last end of all.
  SimTime end() const { return end_; }

  /// The stretches of a block, or DamagedStream.
  std::vector<StepStretch> read(const StepBlock& block) const;

  /// What an instance did in each of `columns` equal parts of [from, to). Reads the blocks that lie across an edge
  /// between two parts, and of the others only what they add up to.
  std::vector<StepTotals> totals(std::uint32_t instance, SimTime from, SimTime to, std::size_t columns) const;
  /// The stretches of an instance that touch [from, to), or nothing when there are more than `most`.
  std::vector<StepStretch> stretches(std::uint32_t instance, SimTime from, SimTime to, std::size_t most) const;

 private:
  void take(std::string_view bytes, std::uint64_t offset, bool& ended);

  const std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<std::vector<StepBlock>> blocks_;
  std::string partial_reason_;
  SimTime end_;
};

}  // namespace rackwright::results
