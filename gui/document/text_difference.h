#pragma once

#include <optional>
#include <string_view>

#include "scenarios/codec/text_edit.h"

namespace rackwright::gui {

/// The one replacement that leads from a text to another: what stands between their common beginning and
/// their common end. It never cuts a character of UTF-8. Nothing when the texts are equal.
std::optional<scenarios::TextEdit> difference(std::string_view before, std::string_view after);

}  // namespace rackwright::gui
