#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rackwright::scenarios {

/// Replaces `length` bytes at `offset` of a text.
struct TextEdit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string replacement;

  bool operator==(const TextEdit&) const = default;
};

/// One change of a document: edits of the same text, ascending and apart from one another.
using TextEdits = std::vector<TextEdit>;

std::string apply_edits(std::string_view text, const TextEdits& edits);

/// The change that leads back: applying it to the edited text gives `text` again.
TextEdits inverse_edits(std::string_view text, const TextEdits& edits);

}  // namespace rackwright::scenarios
