#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rackwright::scenarios {

/// A scenario that comes with the program, to start from.
struct LibraryScenario {
  std::string path;         ///< "tutorial/first_run.yaml".
  std::string category;     ///< "tutorial".
  std::string title;        ///< What the file's `name` says, or its file name.
  std::string question;     ///< What the file's `question` says; may be empty.
  std::string description;  ///< The question, and the comment at its head.
  std::string_view text;
};

/// Every scenario of the library: tutorials first, then by path.
std::vector<LibraryScenario> library_scenarios();

}  // namespace rackwright::scenarios
