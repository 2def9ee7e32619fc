// rackwright-gui [SCENARIO|RUN]: the scenario editor.
#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QStandardPaths>

#include "gui/app/main_window.h"
#include "models/base/version.h"

int main(int argc, char* argv[]) {
  using namespace rackwright;
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("Rackwright"));
  QApplication::setApplicationName(QStringLiteral("rackwright-gui"));
  const std::string_view own = version();
  QApplication::setApplicationVersion(QString::fromUtf8(own.data(), static_cast<qsizetype>(own.size())));

  QCommandLineParser parser;
  parser.setApplicationDescription(QCoreApplication::translate("main", "Edits, checks, runs and reads scenarios of AI-inference datacenters."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("FILE"), QCoreApplication::translate("main", "a scenario, or the folder of a run"), QStringLiteral("[FILE…]"));
  parser.process(application);

  const QDir data(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation));
  gui::MainWindow window({data.filePath(QStringLiteral("recovery")), data.filePath(QStringLiteral("scratch"))});
  window.show();
  for (const QString& path : parser.positionalArguments()) window.openPath(path);
  return QApplication::exec();
}
