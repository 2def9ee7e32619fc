#include "gui/document/autosave.h"

#include <chrono>

#include "gui/document/scenario_document.h"

namespace rackwright::gui {

using namespace std::chrono_literals;

Autosave::Autosave(ScenarioDocument& document, std::shared_ptr<const RecoveryStore> store, QObject* parent)
    : QObject(parent), document_(document), store_(std::move(store)) {
  writer_.setMaxThreadCount(1);
  timer_.setSingleShot(true);
  timer_.setInterval(1500ms);  // Soon enough to lose little, seldom enough to stay out of the way of typing.
  connect(&timer_, &QTimer::timeout, this, &Autosave::write);
  connect(&document_, &ScenarioDocument::changed, this, [this] {
    if (!timer_.isActive()) timer_.start();
  });
  connect(&document_, &ScenarioDocument::modifiedChanged, this, [this](bool modified) {
    if (!modified) write();
  });
}

Autosave::~Autosave() { writer_.waitForDone(); }

void Autosave::flush() {
  if (timer_.isActive()) write();
  writer_.waitForDone();
}

void Autosave::write() {
  timer_.stop();
  if (!document_.isModified()) {
    writer_.start([store = store_] { store->clear(); });
    return;
  }
  writer_.start([this, store = store_, file = document_.file(), title = document_.title(), snapshot = document_.current()] {
    const QString problem = store->write(file, title, snapshot->text());
    if (!problem.isEmpty()) QMetaObject::invokeMethod(this, [this, problem] { Q_EMIT failed(problem); }, Qt::QueuedConnection);
  });
}

}  // namespace rackwright::gui
