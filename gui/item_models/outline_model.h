#pragma once

#include <QString>
#include <optional>

#include "gui/item_models/finding_index.h"
#include "gui/item_models/tree_model.h"

namespace rackwright::gui {

class ScenarioDocument;

/// A group, list or mapping of the scenario, or an item of one.
struct OutlineItem {
  std::string path;
  QString title;
  QString summary;
  bool given = true;  ///< Sections that the file does not have are shown too, so that they can be found.
  bool isCollection = false;

  bool operator==(const OutlineItem&) const = default;
};

/// The scenario's structure: the sections, and below them what is given, down to the last group. Follows the document.
class OutlineModel final : public TreeModel<OutlineItem> {
  Q_OBJECT

 public:
  enum Role { PathRole = Qt::UserRole + 1, SummaryRole, GivenRole, SeverityRole, IsCollectionRole };

  explicit OutlineModel(ScenarioDocument& document, QObject* parent = nullptr);

  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  /// The row of a path, or of the nearest place around it.
  QModelIndex indexOfPath(std::string path) const;
  void setFindings(FindingIndex findings);

 private:
  std::vector<Branch> wanted() const;

  ScenarioDocument& document_;
  FindingIndex findings_;
};

}  // namespace rackwright::gui
