#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>

#include "gui/document/check_service.h"

namespace rackwright::gui {

/// The findings of a check by the places that they are about.
class FindingIndex {
 public:
  FindingIndex() = default;
  explicit FindingIndex(const CheckResult& result);

  /// The worst severity at the place or anywhere below it; items by index, as in "deployment[0].on".
  std::optional<Severity> worst(const std::string& path) const;
  /// What is said of this very place, a line each.
  QString text(const std::string& path) const;

 private:
  struct Place {
    Severity worst = Severity::note;
    QString text;
  };

  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace rackwright::gui
