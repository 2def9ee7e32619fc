#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <string_view>

namespace rackwright::gui {

/// Three significant digits with the unit that fits: "42.0 ms", "97.3 %", "1,700 /s".
QString quantityText(double value, std::string_view dimension);
/// A formatted quantity as people write it: "42 us" is "42 µs".
QString unitText(const std::string& quantity);
/// "19,366".
QString countText(std::int64_t count);
/// A length of time: "58 min 20 s", "12.3 s".
QString durationText(double seconds);
/// With a capital at the beginning.
QString sentence(QString text);

}  // namespace rackwright::gui
