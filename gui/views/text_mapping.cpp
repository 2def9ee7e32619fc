#include "gui/views/text_mapping.h"

#include <algorithm>

namespace rackwright::gui {
namespace {

constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

}  // namespace

QString shownText(std::string_view bytes) {
  if (bytes.starts_with(byteOrderMark)) bytes.remove_prefix(byteOrderMark.size());
  QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
  text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
  text.replace(QLatin1Char('\r'), QLatin1Char('\n'));
  return text;
}

std::size_t byteOffset(std::string_view bytes, qsizetype shownPosition) {
  std::size_t byte = bytes.starts_with(byteOrderMark) ? byteOrderMark.size() : 0;
  for (qsizetype position = 0; byte < bytes.size() && position < shownPosition;) {
    const auto lead = static_cast<unsigned char>(bytes[byte]);
    std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    position += size == 4 ? 2 : 1;  // Beyond the basic plane a character is two units of UTF-16.
    if (bytes[byte] == '\r' && byte + 1 < bytes.size() && bytes[byte + 1] == '\n') size = 2;
    byte = std::min(byte + size, bytes.size());
  }
  return byte;
}

std::string bytesAfterTyping(const std::string& before, const QString& shown) {
  const QString old = shownText(before);
  const qsizetype shorter = std::min(old.size(), shown.size());
  qsizetype begin = 0;
  while (begin < shorter && old[begin] == shown[begin]) ++begin;
  qsizetype end = 0;
  while (end < shorter - begin && old[old.size() - 1 - end] == shown[shown.size() - 1 - end]) ++end;
  // Never between the halves of a character.
  if (begin > 0 && old[begin - 1].isHighSurrogate()) --begin;
  if (end > 0 && old[old.size() - end].isLowSurrogate()) --end;
  QString typed = shown.mid(begin, shown.size() - end - begin);
  const std::size_t firstBreak = before.find('\n');
  if (firstBreak != std::string::npos && firstBreak > 0 && before[firstBreak - 1] == '\r') typed.replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
  const std::size_t from = byteOffset(before, begin);
  const std::size_t to = byteOffset(before, old.size() - end);
  return before.substr(0, from) + typed.toStdString() + before.substr(to);
}

}  // namespace rackwright::gui
