#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "scenarios/results/output_file.h"
#include "scenarios/results/step_stretch.h"

namespace rackwright::results {

/// Writes steps.pb (scenarios/schema/steps.proto): every step of a run, a stretch of them in some twenty bytes.
/// Throws EnvironmentError when the file cannot be written.
class StepsWriter {
 public:
  /// Stretches in a block: few enough that a block is a small part of what a window shows, so that most of what is
  /// shown comes from the totals of whole blocks.
  static constexpr std::size_t block_stretches = 512;
  /// Stretches that wait for their block to fill, of all instances; 40 MB.
  static constexpr std::size_t most_waiting = 400'000;

  StepsWriter(const std::filesystem::path& path, std::uint32_t instances);

  /// Stretches of one instance in the order of their ends.
  void add(const StepStretch& stretch);
  /// Writes the end marker and closes the file.
  void end();

 private:
  void put(std::vector<StepStretch>& block);
  void put_all();

  OutputFile file_;
  std::vector<std::vector<StepStretch>> open_;  ///< By instance.
  std::size_t waiting_ = 0;
  std::int64_t stretches_ = 0;
};

}  // namespace rackwright::results
