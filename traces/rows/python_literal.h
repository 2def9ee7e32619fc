#pragma once

#include <string>
#include <string_view>

namespace rackwright::traces {

/// JSON for a Python literal of dicts, lists, texts and numbers: {'a': 1, 2: None} becomes {"a": 1, "2": null}.
/// Text that is no such literal becomes text that is no JSON.
std::string json_from_python(std::string_view literal);

}  // namespace rackwright::traces
