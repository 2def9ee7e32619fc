#pragma once

#include <optional>
#include <string>

#include "scenarios/codec/text_edit.h"

namespace rackwright::gui {

/// What happened to a document, for those who show parts of it.
struct DocumentChange {
  enum class Kind {
    loaded,     ///< Another text altogether.
    value,      ///< The value at `path` was set or taken back.
    structure,  ///< Items or entries of the list or mapping at `path` came, went, moved or got another name.
    text,       ///< Somebody typed; anything may be different.
  };

  Kind kind = Kind::loaded;
  std::string path;                              ///< Of value and structure.
  std::optional<scenarios::TextEdit> edit = {};  ///< What was replaced; absent for `loaded`.
};

}  // namespace rackwright::gui
