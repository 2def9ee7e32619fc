#pragma once

#include <QMainWindow>
#include <QSettings>
#include <functional>
#include <memory>

#include "gui/commands/scenario_editor.h"
#include "gui/document/autosave.h"
#include "gui/document/check_service.h"
#include "gui/document/scenario_document.h"
#include "gui/item_models/outline_model.h"
#include "gui/item_models/problems_model.h"
#include "gui/item_models/property_model.h"
#include "gui/views/theme.h"
#include "scenarios/catalog/catalog.h"

class QDockWidget;
class QFileSystemWatcher;
class QLabel;
class QMenu;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace rackwright::gui {

class MessageBar;
class OutlineView;
class ProblemsView;
class PropertyView;
class RunTabs;
class ScenarioActions;
class SearchPopup;
class StartPage;
class TextView;
struct SearchEntry;

/// Where a window keeps what it remembers.
struct WindowFolders {
  QString recovery;  ///< Unsaved changes.
  QString scratch;   ///< Scenarios without a file that are run, and their runs.
};

/// The editor's window: one document with its outline, properties, text and problems, and the runs beside it.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const WindowFolders& folders, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// A scenario, a run, a log, a configuration: whatever the file turns out to be.
  void openPath(const QString& path);
  void openTemplate(const QString& libraryPath);
  /// Goes to a place of the scenario: outline, properties, and text where it is given.
  void goTo(const std::string& path);
  void setTheme(ThemeChoice choice);
  /// The one that was set last, by this window or an earlier one.
  ThemeChoice theme() const;

  ScenarioDocument& document() { return document_; }
  RunTabs& runs() { return *runs_; }

 protected:
  void changeEvent(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // window_actions.cpp
  void makeActions();
  QAction* action(QMenu& menu, int which, const QString& text, const QKeySequence& keys, void (MainWindow::*slot)());
  void makeFileMenu();
  void makeEditMenu();
  void makeRunMenu();
  void makeViewMenu();
  void makeToolBar();

  // main_window.cpp
  void makeDocks();
  void connectDocument();
  void connectViews();
  void showChecked();
  void showIdentity();
  void say(const QString& problem);
  void goToText(const std::string& path);
  /// The docks belong to the scenario: a page of results has the window to itself.
  void showDocks();
  void rememberLayout();
  void restoreLayout();
  void search();
  void run();

  // window_documents.cpp
  void offerRecovery();
  void watchFile();
  /// Asks in place where there is something to lose, then acts.
  void afterSaving(const std::function<void()>& act);
  void newScenario();
  void chooseFile();
  void save();
  void saveAs();
  void revert();
  void closeScenario();

  QSettings settings_;
  const WindowFolders folders_;
  const scenarios::Catalog catalog_;
  ScenarioDocument document_;
  ScenarioEditor editor_{document_};
  CheckService check_;
  OutlineModel outlineModel_{document_};
  PropertyModel propertyModel_{editor_, catalog_};
  ProblemsModel problemsModel_;
  std::shared_ptr<const RecoveryStore> recovery_;
  Autosave autosave_;

  MessageBar* message_;
  QStackedWidget* pages_;
  StartPage* start_;
  QTabWidget* tabs_;
  TextView* text_;
  OutlineView* outline_;
  PropertyView* properties_;
  ProblemsView* problems_;
  SearchPopup* search_;
  RunTabs* runs_;
  ScenarioActions* actions_;
  QLabel* standing_;
  QDockWidget* outlineDock_ = nullptr;
  QDockWidget* propertyDock_ = nullptr;
  QDockWidget* problemsDock_ = nullptr;
  QFileSystemWatcher* watcher_;
  QAction* run_ = nullptr;
  QAction* keepSteps_ = nullptr;
  QToolButton* runButton_ = nullptr;
  QAction* save_ = nullptr;
  QAction* saveAs_ = nullptr;
  QAction* revert_ = nullptr;
  QAction* close_ = nullptr;
  QMenu* recentMenu_ = nullptr;
  std::vector<QAction*> searchable_;
  QByteArray layout_;     ///< Of the docks, while they are away.
  bool editing_ = true;   ///< The docks are there.
  bool following_ = false;
  bool discard_ = false;
};

}  // namespace rackwright::gui
