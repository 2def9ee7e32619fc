#pragma once

#include <QObject>
#include <QString>
#include <QThread>
#include <memory>
#include <vector>

#include "scenarios/plots/plot.h"
#include "scenarios/results/run_description.h"

namespace rackwright::gui {

/// What a run that goes on shows.
struct LiveView {
  std::shared_ptr<const results::RunDescription> run;
  std::vector<plots::Plot> plots;
  std::int64_t requests = 0;
  double now_s = 0;
};

/// Follows run.pb while the simulator writes it, in a thread of its own. It waits for the file to appear.
class RunFollower final : public QObject {
  Q_OBJECT

 public:
  explicit RunFollower(QObject* parent = nullptr);
  ~RunFollower() override;

  void start(const QString& stream);
  void stop();

 Q_SIGNALS:
  void updated(const std::shared_ptr<const rackwright::gui::LiveView>& view);
  /// The stream cannot be followed; the run itself may go on.
  void failed(const QString& problem);

 private:
  QThread thread_;
  QObject* reader_ = nullptr;
};

}  // namespace rackwright::gui
