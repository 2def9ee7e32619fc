#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rackwright {

enum class Severity { note, warning, error };

/// A place in an input. `line` and `column` count from 1; 0 means the whole file.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One finding about an input: where, what, and what to do.
struct Diagnostic {
  Severity severity = Severity::error;
  Location where;
  std::string path;     ///< Schema path such as "deployment[0].tensor_parallel"; may be empty.
  std::string message;  ///< One sentence without a final full stop.
  std::string hint;     ///< What to do, such as "did you mean 'token_budget'?"; may be empty.
};

/// Collects every finding of one pass over an input, in the order found.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  void error(Location where, std::string path, std::string message, std::string hint = {});
  void warning(Location where, std::string path, std::string message, std::string hint = {});
  void note(Location where, std::string path, std::string message, std::string hint = {});

  const std::vector<Diagnostic>& all() const { return all_; }
  bool has_errors() const { return errors_ > 0; }
  int error_count() const { return errors_; }
  int warning_count() const { return warnings_; }

 private:
  std::vector<Diagnostic> all_;
  int errors_ = 0;
  int warnings_ = 0;
};

std::string_view to_string(Severity severity);

/// "first_run.yaml:4:12: error: deployment[0].on: no rack is called 'b' (did you mean 'a'?)".
std::string to_string(const Diagnostic& diagnostic);

}  // namespace rackwright
