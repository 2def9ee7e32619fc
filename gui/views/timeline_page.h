#pragma once

#include <QWidget>
#include <memory>

class QComboBox;
class QLabel;

namespace rackwright::gui {

class InstanceLanes;
struct LoadedRun;

/// What one instance did over time.
class TimelinePage final : public QWidget {
  Q_OBJECT

 public:
  explicit TimelinePage(QWidget* parent = nullptr);

  /// The lanes are laid out once the page is seen.
  void show(std::shared_ptr<const LoadedRun> run);

 Q_SIGNALS:
  void requestPicked(std::uint64_t id);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void paintLegend();
  void fill();

  std::shared_ptr<const LoadedRun> run_;
  bool filled_ = false;
  QLabel* legend_;
  QComboBox* instance_;
  QLabel* note_;
  InstanceLanes* lanes_;
};

}  // namespace rackwright::gui
