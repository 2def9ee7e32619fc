#include "models/base/diagnostic.h"

#include <fmt/format.h>

#include <utility>

namespace rackwright {

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  if (diagnostic.severity == Severity::warning) ++warnings_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(Location where, std::string path, std::string message, std::string hint) {
  add({Severity::error, std::move(where), std::move(path), std::move(message), std::move(hint)});
}

void Diagnostics::warning(Location where, std::string path, std::string message, std::string hint) {
  add({Severity::warning, std::move(where), std::move(path), std::move(message), std::move(hint)});
}

void Diagnostics::note(Location where, std::string path, std::string message, std::string hint) {
  add({Severity::note, std::move(where), std::move(path), std::move(message), std::move(hint)});
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.where.file.empty()) {
    text += diagnostic.where.file;
    if (diagnostic.where.line > 0) {
      text += fmt::format(":{}", diagnostic.where.line);
      if (diagnostic.where.column > 0) text += fmt::format(":{}", diagnostic.where.column);
    }
    text += ": ";
  }
  text += to_string(diagnostic.severity);
  text += ": ";
  if (!diagnostic.path.empty()) text += diagnostic.path + ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += " (" + diagnostic.hint + ")";
  return text;
}

}  // namespace rackwright
