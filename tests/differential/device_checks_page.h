#pragma once

#include <string>

namespace rackwright::test {

/// Sections of docs/validation.md: whole steps and sustained rounds of steps on H200s against the model.
std::string device_checks_page();

}  // namespace rackwright::test
