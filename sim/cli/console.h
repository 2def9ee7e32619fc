#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "models/base/diagnostic.h"
#include "sim/report/text_table.h"

namespace rackwright::cli {

enum class Format { text, json };
enum class ProgressMode { none, plain, json };

/// Whether a stream shows on a terminal, and whether colours are wanted there (NO_COLOR: no-color.org).
struct Terminal {
  bool interactive = false;
  bool colour = false;
};

/// What the shell gives a program: two streams and how to write to them.
class Console {
 public:
  Console(std::ostream& out, Terminal out_terminal, std::ostream& err, Terminal err_terminal)
      : out_(out), err_(err), out_terminal_(out_terminal), err_terminal_(err_terminal) {}

  /// Results.
  std::ostream& out() { return out_; }
  /// Progress and diagnostics.
  std::ostream& err() { return err_; }
  Terminal out_terminal() const { return out_terminal_; }
  Terminal err_terminal() const { return err_terminal_; }
  report::TextStyle out_style() const {
    return out_terminal_.colour ? report::TextStyle::coloured : report::TextStyle::plain;
  }

  Format format() const { return format_; }
  ProgressMode progress() const { return progress_; }

  /// Every finding, a line each, in the order found.
  void show(const Diagnostics& diagnostics);
  /// "rackwright: error: …" for what has no place in a file.
  void error(std::string_view message, std::string_view hint = {});
  /// "rackwright: …"
  void note(std::string_view message);

 private:
  friend class CommandLine;

  std::string painted(std::string_view text, const char* code) const;

  std::ostream& out_;
  std::ostream& err_;
  const Terminal out_terminal_;
  const Terminal err_terminal_;
  Format format_ = Format::text;
  ProgressMode progress_ = ProgressMode::none;
};

}  // namespace rackwright::cli
