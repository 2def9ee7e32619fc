#include "scenarios/codec/text_edit.h"

#include "models/base/invariant.h"

namespace rackwright::scenarios {

std::string apply_edits(std::string_view text, const TextEdits& edits) {
  std::string edited;
  std::size_t at = 0;
  for (const TextEdit& edit : edits) {
    invariant(edit.offset >= at && edit.offset + edit.length <= text.size(), "edits are ascending and inside the text");
    edited += text.substr(at, edit.offset - at);
    edited += edit.replacement;
    at = edit.offset + edit.length;
  }
  return edited += text.substr(at);
}

TextEdits inverse_edits(std::string_view text, const TextEdits& edits) {
  TextEdits inverse;
  std::size_t grown = 0;   // How much longer and shorter the edited text is up to here: kept apart,
  std::size_t shrunk = 0;  // since offsets are unsigned.
  for (const TextEdit& edit : edits) {
    inverse.push_back({edit.offset + grown - shrunk, edit.replacement.size(), std::string(text.substr(edit.offset, edit.length))});
    grown += edit.replacement.size();
    shrunk += edit.length;
  }
  return inverse;
}

}  // namespace rackwright::scenarios
