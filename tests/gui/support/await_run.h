#pragma once

#include <QTest>

#include "gui/run/run_session.h"
#include "tests/gui/support/gui_text.h"

namespace rackwright::test {

/// Waits until `reached`. A run that ends without it ends the wait as well: the test fails at once, with what the run
/// said last.
template <class Condition>
void awaitRun(const gui::RunSession& run, Condition reached, int ms = 120000) {
  bool isThere = false;
  static_cast<void>(QTest::qWaitFor([&] { return (isThere = reached()) || isOver(run.standing()); }, ms));
  INFO(run.headline().toStdString() << ": " << run.detail().toStdString());
  REQUIRE(isThere);
}

}  // namespace rackwright::test
