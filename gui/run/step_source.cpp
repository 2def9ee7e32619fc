#include "gui/run/step_source.h"

#include <QCoreApplication>
#include <QThreadPool>
#include <exception>
#include <utility>

namespace rackwright::gui {

void StepSource::setSteps(SharedSteps steps) {
  steps_ = std::move(steps);
  next_.reset();
  alive_ = std::make_shared<int>(0);
  reading_ = false;
}

void StepSource::ask(std::uint32_t instance, SimTime from, SimTime to, std::size_t parts) {
  if (!steps_ || instance >= steps_->instances()) return;
  next_ = Question{instance, from, to, parts};
  if (!reading_) read(*std::exchange(next_, std::nullopt));
}

void StepSource::read(const Question& question) {
  reading_ = true;
  QThreadPool::globalInstance()->start([this, question, steps = steps_, alive = std::weak_ptr<int>(alive_)] {
    auto window = std::make_shared<StepWindow>();
    window->instance = question.instance;
    window->from = question.from;
    window->to = question.to;
    try {
      window->parts = steps->totals(question.instance, question.from, question.to, question.parts);
      window->stretches = steps->stretches(question.instance, question.from, question.to, question.parts);
    } catch (const std::exception& problem) {
      window->problem = QString::fromUtf8(problem.what());
    }
    // The application takes the answer: this may be gone by then, and only its own thread can tell.
    QMetaObject::invokeMethod(QCoreApplication::instance(), [this, alive, window] {
      if (alive.expired()) return;
      reading_ = false;
      Q_EMIT answered(window);
      if (next_) read(*std::exchange(next_, std::nullopt));
    }, Qt::QueuedConnection);
  });
}

}  // namespace rackwright::gui
