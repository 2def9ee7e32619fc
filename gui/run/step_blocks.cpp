#include "gui/run/step_blocks.h"

#include <QCoreApplication>
#include <QThreadPool>
#include <algorithm>
#include <exception>
#include <utility>

namespace rackwright::gui {

void StepBlocks::setSteps(SharedSteps steps, std::uint32_t instance) {
  steps_ = std::move(steps);
  instance_ = instance;
  held_.clear();
  generation_ = std::make_shared<int>(0);
}

std::span<const results::StepBlock> StepBlocks::places() const {
  if (!steps_ || instance_ >= steps_->instances()) return {};
  return steps_->blocks(instance_);
}

const std::vector<results::StepStretch>* StepBlocks::at(std::size_t block) {
  const auto held = held_.find(block);
  if (held == held_.end()) {
    read(block);
    return nullptr;
  }
  held->second.lastLook = ++looks_;
  return held->second.stretches.empty() ? nullptr : &held->second.stretches;
}

void StepBlocks::read(std::size_t block) {
  if (held_.size() >= mostHeld) held_.erase(std::ranges::min_element(held_, {}, [](const auto& one) { return one.second.lastLook; }));
  held_[block].lastLook = ++looks_;
  QThreadPool::globalInstance()->start([this, block, steps = steps_, instance = instance_, generation = std::weak_ptr<int>(generation_)] {
    std::vector<results::StepStretch> stretches;
    QString problem;
    try {
      stretches = steps->read(steps->blocks(instance)[block]);
    } catch (const std::exception& caught) {
      problem = QString::fromUtf8(caught.what());
    }
    // The application takes the answer: whether this object is still there is known in its thread alone.
    QMetaObject::invokeMethod(QCoreApplication::instance(), [this, block, generation, problem, stretches = std::move(stretches)]() mutable {
      if (generation.expired()) return;
      if (!problem.isEmpty()) return Q_EMIT failed(problem);
      const auto held = held_.find(block);
      if (held == held_.end()) return;  // Forgotten in the meantime.
      held->second.stretches = std::move(stretches);
      Q_EMIT loaded(block);
    }, Qt::QueuedConnection);
  });
}

}  // namespace rackwright::gui
