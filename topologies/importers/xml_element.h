#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/importers/import_report.h"

namespace rackwright::topologies {

/// One element of an XML file with what is inside it, and where it starts.
struct XmlElement {
  std::string name;  ///< With its prefix, if any, cut off.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< Character data directly inside, joined.
  std::vector<XmlElement> children;
  int line = 0;
  int column = 0;

  const std::string* find(std::string_view attribute) const;
  /// The attribute, or `fallback` when it is absent.
  std::string_view get(std::string_view attribute, std::string_view fallback = {}) const;
};

/// Reads a whole file with Expat. At most 64 MiB, a million elements and 100 levels; a document type is read past, nothing
/// outside the file is opened, and Expat's own limit on entity expansion holds. Nothing on an error, which is reported.
std::optional<XmlElement> parse_xml(std::string_view text, ImportReport& report);

}  // namespace rackwright::topologies
