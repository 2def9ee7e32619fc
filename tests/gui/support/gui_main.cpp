// The main of every test of the editor: Catch2 with an application around it, apart from the user's settings.
#define CATCH_CONFIG_RUNNER
#include <QApplication>
#include <QStandardPaths>

#include "tests/support/catch.h"

int main(int argc, char* argv[]) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY")) qputenv("QT_QPA_PLATFORM", "offscreen");
  // Runs are those of the simulator of this build, however the test was started.
  qputenv("PATH", QByteArray(RACKWRIGHT_BINARY_DIR "/bin:") + qgetenv("PATH"));
  QStandardPaths::setTestModeEnabled(true);
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("Rackwright"));
  QApplication::setApplicationName(QStringLiteral("rackwright-gui-test"));
  return Catch::Session().run(argc, argv);
}
