#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "scenarios/codec/source_text.h"

namespace rackwright::scenarios {

/// A source made ready for a YAML parser that counts characters: without byte order mark, JSON's pairs of
/// escaped surrogates joined ("\ud83d\ude00" is one character there, which YAML writes otherwise), with a
/// line break at the end, and with the way back from a character's index to the byte in the source.
class CheckedText {
 public:
  enum class Surrogates { keep, join };

  /// Reports bytes that are not UTF-8 and characters that YAML does not allow, each kind once, with its place.
  CheckedText(const SourceText& source, Surrogates surrogates, Diagnostics& diagnostics);

  std::string_view text() const { return text_; }
  std::size_t source_offset(std::size_t character_index) const;

 private:
  /// From this character on, until the next such point, one character is one byte of the source.
  struct Anchor {
    std::size_t character;
    std::size_t offset;
  };

  void append(std::string_view bytes, std::size_t next_offset);

  std::string text_;
  std::size_t source_size_;
  std::size_t characters_ = 0;
  std::vector<Anchor> anchors_;
};

}  // namespace rackwright::scenarios
