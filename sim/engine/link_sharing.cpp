#include "sim/engine/link_sharing.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "models/base/invariant.h"

namespace rackwright::engine {
namespace {

// Programs lie in <prefix>/bin or <prefix>/tests, the module in <prefix>/lib.
std::filesystem::path module_path() {
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw EnvironmentError("the place of the running program cannot be found: " + failure.message());
  return program.parent_path().parent_path() / "lib" / RACKWRIGHT_SIMGRID_MODULE;
}

}  // namespace

std::unique_ptr<LinkSharing> load_simgrid_sharing() {
  // Never unloaded: SimGrid keeps state for as long as the process lives.
  void* const module = dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw EnvironmentError(std::string("the network model cannot be loaded: ") + dlerror());
  using Maker = LinkSharing* (*)();
  const auto make = reinterpret_cast<Maker>(dlsym(module, "rackwright_make_simgrid_sharing"));
  invariant(make != nullptr, "the module of the network model has no entry point");
  return std::unique_ptr<LinkSharing>(make());
}

}  // namespace rackwright::engine
