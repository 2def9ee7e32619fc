#pragma once

#include <QString>
#include <cstddef>
#include <string>
#include <string_view>

namespace rackwright::gui {

/// A document's bytes as a text widget shows them: without byte order mark, every line break a '\n'.
QString shownText(std::string_view bytes);

/// The bytes after somebody changed what is shown: what was not touched keeps its bytes, line breaks included;
/// new line breaks are like those of the first line.
std::string bytesAfterTyping(const std::string& before, const QString& shown);

/// The byte at which a position of the shown text (in UTF-16 units) lies.
std::size_t byteOffset(std::string_view bytes, qsizetype shownPosition);

}  // namespace rackwright::gui
