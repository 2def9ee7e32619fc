#include "sim/engine/make_engine.h"

#include "sim/engine/calendar_engine.h"

namespace rackwright::engine {

std::unique_ptr<Engine> make_engine() { return std::make_unique<CalendarEngine>(&load_simgrid_sharing); }

}  // namespace rackwright::engine
