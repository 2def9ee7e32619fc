#pragma once

#include <memory>

#include "gui/commands/scenario_editor.h"
#include "gui/document/check_service.h"
#include "gui/item_models/finding_index.h"
#include "gui/item_models/preset_values.h"
#include "gui/item_models/property_item.h"
#include "gui/item_models/tree_model.h"

namespace rackwright::gui {

/// Everything that the schema says can stand at one place of the scenario, with the value that holds and where it
/// comes from. Writing a cell is a command; an empty text takes the value out. Follows the document.
class PropertyModel final : public TreeModel<PropertyItem> {
  Q_OBJECT

 public:
  enum Column { NameColumn, ValueColumn, OriginColumn, ColumnCount };
  enum Role { PathRole = Qt::UserRole + 1, FallbackRole, GivenRole, SeverityRole };

  PropertyModel(ScenarioEditor& editor, const scenarios::Catalog& catalog, QObject* parent = nullptr);

  /// The place that is shown; a group, a list or a map.
  const std::string& path() const { return path_; }
  /// The same as people read it, items by their names.
  QString readablePlace() const;
  void setPath(const std::string& path);
  /// What a check found and derived; null when there is none.
  void setChecked(SharedCheckResult result);

  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  /// As setData, with values that follow one another as one command: for sliders.
  bool slide(const QModelIndex& index, const QString& value);

  QModelIndex indexOfPath(const std::string& path) const;
  /// Why a text does not fit the value at the index; empty when it does.
  QString problemOf(const QModelIndex& index, const QString& text) const;
  const v1::Scenario* scenario() const;
  const scenarios::Catalog& catalog() const { return catalog_; }

 Q_SIGNALS:
  /// A command was refused.
  void refused(const QString& path, const QString& problem);

 private:
  void refresh();
  std::vector<Branch> wanted();
  QString origin(const PropertyItem& item) const;
  QString toolTip(const PropertyItem& item, int column) const;
  bool write(const QModelIndex& index, const QString& text, Merging merging);

  ScenarioEditor& editor_;
  const scenarios::Catalog& catalog_;
  PresetValues presets_;
  std::string path_;
  SharedCheckResult checked_;
  FindingIndex findings_;
};

}  // namespace rackwright::gui
