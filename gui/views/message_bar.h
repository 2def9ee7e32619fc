#pragma once

#include <QFrame>
#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace rackwright::gui {

/// A message in the window, where elsewhere a box would stop everything: it says one thing, offers what can be done
/// about it, and goes when it is answered, dismissed or replaced.
class MessageBar final : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { warning, error };
  struct Answer {
    QString text;
    std::function<void()> act;
  };

  explicit MessageBar(QWidget* parent = nullptr);

  void say(Kind kind, const QString& text, std::vector<Answer> answers = {});
  void dismiss();
  /// Gives the keyboard to the first answer, if something is said.
  void takeFocus();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void paintKind();

  Kind kind_ = Kind::warning;
  QLabel* icon_;
  QLabel* label_;
  QHBoxLayout* answers_;
};

}  // namespace rackwright::gui
