#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scenarios/results/steps_reader.h"

namespace rackwright::gui {

using SharedSteps = std::shared_ptr<const results::StepsReader>;

/// Blocks of steps of one instance, read in another thread when they are first asked for. Those asked for longest ago
/// are forgotten.
class StepBlocks final : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t mostHeld = 64;  ///< 3 MB.

  explicit StepBlocks(QObject* parent = nullptr) : QObject(parent) {}

  void setSteps(SharedSteps steps, std::uint32_t instance);
  std::span<const results::StepBlock> places() const;
  /// The stretches of a block; null while they are being read.
  const std::vector<results::StepStretch>* at(std::size_t block);

 Q_SIGNALS:
  void loaded(std::size_t block);
  void failed(const QString& problem);

 private:
  struct Held {
    std::vector<results::StepStretch> stretches;  ///< Empty until they were read.
    std::uint64_t lastLook = 0;
  };
  void read(std::size_t block);

  SharedSteps steps_;
  std::uint32_t instance_ = 0;
  std::map<std::size_t, Held> held_;
  std::uint64_t looks_ = 0;
  std::shared_ptr<int> generation_ = std::make_shared<int>(0);  ///< Outlived by jobs under way, which then do nothing.
};

}  // namespace rackwright::gui
