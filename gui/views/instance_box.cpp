#include "gui/views/instance_box.h"

#include <QSignalBlocker>

namespace rackwright::gui {

InstanceBox::InstanceBox(QWidget* parent) : QComboBox(parent) {
  setAccessibleName(tr("Instance"));
  connect(this, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index >= 0) Q_EMIT instanceChosen(instance());
  });
}

void InstanceBox::setRun(const results::RunDescription& run) {
  const QSignalBlocker quiet(this);
  clear();
  for (const results::PoolDescription& pool : run.pools) {
    for (std::uint32_t i = 0; i < pool.instances; ++i) addItem(QStringLiteral("%1 · %2 %3").arg(count()).arg(QString::fromStdString(pool.name)).arg(i));
  }
}

}  // namespace rackwright::gui
