#pragma once

#include <memory>

#include "sim/engine/engine.h"

namespace rackwright::engine {

/// A fresh engine at time 0 whose flows SimGrid shares over the links. A run without flows over links never
/// loads SimGrid. Any number of engines may live in one process; each has its own links and time.
std::unique_ptr<Engine> make_engine();

}  // namespace rackwright::engine
