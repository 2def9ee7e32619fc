#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rackwright::topologies {

/// B/s of "125MBps", "1.25GBps", "100Mbps", "1.25E9", "10GiBps"; of the first value of "54Mbps,36Mbps". Nothing if it is none.
std::optional<double> simgrid_bandwidth(std::string_view text);
/// s of "50us", "0", "1.0E-4", "2ms". Nothing if it is none.
std::optional<double> simgrid_time(std::string_view text);
/// The numbers of "0-10,15,20-22". Nothing if it is malformed or names more than `most`.
std::optional<std::vector<long>> simgrid_radical(std::string_view text, std::size_t most);
/// The numbers of "4,4,2". Nothing if one of them is no number from 1 to a million.
std::optional<std::vector<int>> simgrid_list(std::string_view text, char separator);

}  // namespace rackwright::topologies
