// A scenario in a real window: its lists by keys, its file, its problems.
#include <QPushButton>

#include "gui/item_models/property_model.h"
#include "gui/views/start_page.h"
#include "scenarios/schema/scenario.pb.h"
#include "tests/gui/support/window_driver.h"

using namespace rackwright;

namespace {

std::string read(const QString& path) {
  QFile file(path);
  REQUIRE(file.open(QIODevice::ReadOnly));
  return file.readAll().toStdString();
}

}  // namespace

TEST_CASE("Items of a list are duplicated, moved, added and removed by keys alone, and undone to the first bytes") {
  test::WindowDriver user;
  gui::ScenarioDocument& document = user.window().document();
  document.openText(QStringLiteral("review.yaml"), test::hallText);
  const auto pools = [&] {
    std::string names;
    for (const v1::Pool& pool : document.current()->message().deployment()) names += pool.pool() + " ";
    return names;
  };
  user.window().goTo("deployment[1]");
  user.press(Qt::Key_1, Qt::AltModifier);
  user.press(Qt::Key_D, Qt::ControlModifier);
  CHECK(pools() == "chat long long-2 ");
  user.press(Qt::Key_1, Qt::AltModifier);
  user.press(Qt::Key_Up, Qt::AltModifier);
  CHECK(pools() == "chat long-2 long ");
  user.press(Qt::Key_Up, Qt::AltModifier);  // The moved item is still the current one.
  CHECK(pools() == "long-2 chat long ");
  user.press(Qt::Key_Down, Qt::AltModifier);
  user.press(Qt::Key_Down, Qt::AltModifier);
  CHECK(pools() == "chat long long-2 ");
  user.press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
  CHECK(document.current()->message().deployment_size() == 4);
  user.press(Qt::Key_1, Qt::AltModifier);
  user.press(Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
  CHECK(pools() == "chat long long-2 ");
  while (document.undoStack().canUndo()) user.press(Qt::Key_Z, Qt::ControlModifier);
  CHECK(document.current()->text() == test::hallText);
}

TEST_CASE("A scenario is saved, closed and found again among the recent ones") {
  test::WindowDriver user;
  gui::ScenarioDocument& document = user.window().document();
  const QString file = user.write("review.yaml", test::hallText);
  user.window().openPath(file);
  user.find("text").setFocus();
  user.type("# mine ");
  REQUIRE(user.wait([&] { return document.isModified(); }));
  CHECK(read(file) == test::hallText);
  user.press(Qt::Key_S, Qt::ControlModifier);
  CHECK(read(file) == "# mine " + test::hallText);
  CHECK_FALSE(document.isModified());
  user.press(Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
  REQUIRE(user.find("startPage").isVisible());
  QPushButton* recent = nullptr;
  for (auto* button : user.find("startPage").findChildren<QPushButton*>()) {
    if (button->toolTip() == file) recent = button;
  }
  REQUIRE(recent);
  user.click(*recent);
  CHECK(document.isOpen());
  CHECK(document.file() == file);
}

TEST_CASE("A file that somebody else changes is asked about in the window, and loaded as one step") {
  test::WindowDriver user;
  const QString file = user.write("review.yaml", test::hallText);
  user.window().openPath(file);
  const std::string theirs = "# theirs\n" + test::hallText;
  user.write("review.yaml", theirs);
  REQUIRE(user.wait([&] { return user.find<QLabel>("message").text().contains(QStringLiteral("changed on disk")); }));
  QTest::mouseClick(user.find("messageBar").findChild<QPushButton*>(), Qt::LeftButton);
  CHECK(user.window().document().current()->text() == theirs);
}

TEST_CASE("A problem leads to the field that it is about, and to its line") {
  test::WindowDriver user;
  std::string text = test::hallText;
  text.replace(text.find("token_budget: 512"), 17, "token_budget: -12");
  user.window().document().openText(QStringLiteral("review.yaml"), text);
  REQUIRE(user.wait([&] { return user.problems() > 0; }));
  auto& problems = user.find<QTreeView>("problems");
  const QPoint row = problems.visualRect(problems.model()->index(0, 0)).center();
  QTest::mouseClick(problems.viewport(), Qt::LeftButton, {}, row);
  QTest::mouseDClick(problems.viewport(), Qt::LeftButton, {}, row);
  CHECK(user.find<QTreeView>("properties").currentIndex().data(gui::PropertyModel::PathRole).toString() == QStringLiteral("deployment[1].scheduler.token_budget"));
  CHECK(user.find<QPlainTextEdit>("text").textCursor().block().text().contains(QStringLiteral("token_budget: -12")));
}
