#pragma once

#include <QString>
#include <string>
#include <vector>

#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::v1 {
class Scenario;
}
namespace rackwright::scenarios {
class Catalog;
}

namespace rackwright::gui {

/// A name that a parameter may refer to.
struct ReferenceName {
  QString name;
  QString title;  ///< A line about it; may be empty.
};

/// What the field's `refers_to` can mean here: names of this scenario first, then of the catalog; a rack is one of
/// the hall, except where a rack is described. Empty for what is not a closed set of names, such as files.
std::vector<ReferenceName> referenceNames(const scenarios::pb::FieldDescriptor& field, const v1::Scenario& scenario,
                                          const scenarios::Catalog& catalog);

/// The title of a catalog entry; its name where it has none.
QString catalogTitle(const scenarios::Catalog& catalog, const std::string& kind, const std::string& name);

}  // namespace rackwright::gui
