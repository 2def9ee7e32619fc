#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "sim/cli/command_line.h"
#include "sim/cli/verbs.h"

int main(int argc, char** argv) {
  using namespace rackwright::cli;
  std::ios::sync_with_stdio(false);
  // A limit on the size of files makes a write fail, which is reported, instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = !no_colour || *no_colour == '\0';
  const auto terminal = [&](int descriptor) {
    const bool interactive = isatty(descriptor) == 1;
    return Terminal{interactive, interactive && colour};
  };
  Console console(std::cout, terminal(STDOUT_FILENO), std::cerr, terminal(STDERR_FILENO));
  CommandLine command_line(all_verbs(), console);
  return static_cast<int>(command_line.run(std::vector<std::string>(argv + 1, argv + argc)));
}
