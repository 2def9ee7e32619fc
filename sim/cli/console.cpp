#include "sim/cli/console.h"

#include <fmt/format.h>

namespace rackwright::cli {

void Console::show(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    std::string line = to_string(diagnostic);
    const std::string word = fmt::format("{}:", to_string(diagnostic.severity));
    const char* code = diagnostic.severity == Severity::error     ? "1;31"
                       : diagnostic.severity == Severity::warning ? "1;33"
                                                                  : "1;36";
    if (const std::size_t at = line.find(word); at != std::string::npos) line.replace(at, word.size(), painted(word, code));
    err_ << line << '\n';
  }
}

void Console::error(std::string_view message, std::string_view hint) {
  err_ << "rackwright: " << painted("error:", "1;31") << ' ' << message;
  if (!hint.empty()) err_ << " (" << hint << ')';
  err_ << '\n';
}

void Console::note(std::string_view message) { err_ << "rackwright: " << message << '\n'; }

std::string Console::painted(std::string_view text, const char* code) const {
  return err_terminal_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace rackwright::cli
