#include "gui/views/instance_names.h"

namespace rackwright::gui {

QStringList instanceNames(const results::RunDescription& run) {
  QStringList names;
  for (const results::PoolDescription& pool : run.pools) {
    for (std::uint32_t i = 0; i < pool.instances; ++i)
      names.push_back(QStringLiteral("%1 · %2 %3").arg(names.size()).arg(QString::fromStdString(pool.name)).arg(i));
  }
  return names;
}

}  // namespace rackwright::gui
