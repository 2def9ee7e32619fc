#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "scenarios/codec/node.h"
#include "scenarios/codec/source_text.h"
#include "scenarios/schema/path.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// Where each value of a message came from, for findings that come after reading.
class SourceMap {
 public:
  /// Knows the file only.
  explicit SourceMap(std::string file = {});
  /// Knows every place of a tree that was read into a message of this type.
  SourceMap(std::shared_ptr<const SourceText> source, Node tree, const pb::Descriptor& type);

  /// States the place of one value that came from elsewhere, such as from `--set`; a later one wins.
  void add(const Path& path, Location location);

  /// The place of "deployment[0].on", or of the nearest value around it. List items may be addressed by
  /// index or by their key.
  Location find(std::string_view path) const;

  /// Whether the file gives this very value, and `add` did not replace it.
  bool is_written(std::string_view path) const;

 private:
  struct Nearest {
    const Node* node = nullptr;
    std::size_t steps = 0;  ///< How many steps of the path it took.
    Path path;              ///< The whole path, with keys of list items replaced by their indices.
  };

  Nearest nearest(const Path& path) const;
  /// Where a value came from that replaced this one, or all of a group around it.
  const Location* added(const Path& path) const;

  std::string file_;
  std::shared_ptr<const SourceText> source_;
  Node tree_;
  const pb::Descriptor* type_ = nullptr;
  std::map<std::string, Location, std::less<>> added_;
};

}  // namespace rackwright::scenarios
