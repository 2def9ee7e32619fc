#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/records/request.h"

namespace rackwright::traces {

/// The tools before a request as one text of a canonical trace: "name@picoseconds@round", joined by ";". In names, what
/// would be mistaken is written as %XX.
std::string tools_text(std::span<const ToolStep> tools, const std::function<std::string_view(std::uint32_t)>& name_of);

/// Nothing for a text that is no such list.
std::optional<std::vector<ToolStep>> read_tools(std::string_view text, const std::function<std::uint32_t(std::string_view)>& id_of);

/// How long the tools take when each has its workers at once: the longest of each round, one after another.
SimTime critical_path(std::span<const ToolStep> tools);

}  // namespace rackwright::traces
