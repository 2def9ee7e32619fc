#pragma once

#include <filesystem>
#include <string>

namespace rackwright::test {

/// The folder of the H200's measured tables.
std::filesystem::path committed_h200_profile();

/// Collectives that a profile's folder holds beside what others published of the same operation over as many H100 or H200:
/// a section of docs/validation.md. Every published series over a number of GPUs that was measured has its table there.
std::string measured_collectives_section(const std::filesystem::path& profile);

}  // namespace rackwright::test
