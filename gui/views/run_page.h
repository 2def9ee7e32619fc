#pragma once

#include <QWidget>
#include <memory>

class QHBoxLayout;
class QVBoxLayout;

namespace rackwright::gui {

class InstanceBox;
struct LoadedRun;

/// A page about a run: a row of controls above what fills the rest. It is laid out once it is seen.
class RunPage : public QWidget {
  Q_OBJECT

 public:
  explicit RunPage(QWidget* parent);

  void setRun(std::shared_ptr<const LoadedRun> run);

 protected:
  /// Lays out the run that was set last.
  virtual void fill() = 0;
  /// What a call needs that comes before the page was seen.
  void fillIfNew();

  const std::shared_ptr<const LoadedRun>& run() const { return run_; }
  QHBoxLayout& bar() { return *bar_; }
  QVBoxLayout& body() { return *body_; }
  /// A choice of instances with its label, at the beginning of the bar.
  InstanceBox* addInstanceBox();

  void showEvent(QShowEvent* event) override;

 private:
  std::shared_ptr<const LoadedRun> run_;
  bool isNew_ = false;  ///< The run was not laid out yet.
  QHBoxLayout* bar_;
  QVBoxLayout* body_;
};

}  // namespace rackwright::gui
