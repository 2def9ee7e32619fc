#include "sim/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <new>
#include <sstream>

#include "models/base/invariant.h"
#include "models/base/names.h"
#include "models/base/version.h"

namespace rackwright::cli {
namespace {

struct Words {
  std::string first;
  std::string second;  ///< Empty for a verb of one word.
};

Words words_of(const Verb& verb) {
  const std::string name(verb.name());
  const std::size_t space = name.find(' ');
  return space == std::string::npos ? Words{name, ""} : Words{name.substr(0, space), name.substr(space + 1)};
}

/// The help of a verb, or of a group of verbs, with its whole name in the usage line.
std::string help_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  const bool in_group = parent && parent->get_parent();
  std::string text = app.help(in_group ? "rackwright " + parent->get_name() : "rackwright");
  for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  return text.substr(text.find_first_not_of('\n'));
}

/// What CLI11 would take in silence: an empty text for a value, and a whole number that is negative or does not fit, which it
/// wraps.
void check_values(CLI::App& app) {
  const auto given = [](const std::string& value) { return value.empty() ? std::string("the value is empty") : std::string(); };
  const auto whole = [](const std::string& value) {
    std::uint64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [rest, problem] = std::from_chars(value.data(), end, number);
    return problem == std::errc() && rest == end ? std::string() : "'" + value + "' is not a whole number of at most 64 bits";
  };
  for (CLI::Option* option : app.get_options([](CLI::Option* any) { return any->get_expected_max() > 0; })) {
    const bool is_whole_number = option->get_type_name() == "UINT";
    option->check(CLI::Validator(given, "", ""));
    if (is_whole_number) option->check(CLI::Validator(whole, "", ""));
  }
}

}  // namespace

ExitCode CommandLine::run(std::vector<std::string> arguments) {
  try {
    const ExitCode code = parse_and_run(std::move(arguments));
    if (!console_.out().flush()) {
      console_.error("the output cannot be written");
      return ExitCode::environment;
    }
    return code;
  } catch (const EnvironmentError& failure) {
    console_.error(failure.what());
    return ExitCode::environment;
  } catch (const std::bad_alloc&) {
    console_.error("there is not enough memory");
    return ExitCode::environment;
  } catch (const std::exception& bug) {
    console_.error(std::string("this is a bug in Rackwright, not in your input: ") + bug.what());
    console_.note("please report it with the command, the scenario and the version (" + std::string(version()) + ")");
    return ExitCode::bug;
  }
}

ExitCode CommandLine::parse_and_run(std::vector<std::string> arguments) {
  CLI::App app("", "rackwright");
  app.set_help_flag("-h,--help", "this text");
  bool wants_version = false;
  app.add_flag("--version", wants_version, "the version");

  std::map<std::string, CLI::App*> groups;
  std::map<const CLI::App*, Verb*> verb_of;
  std::string format = "text";
  std::string progress = console_.err_terminal().interactive ? "plain" : "none";
  for (const std::unique_ptr<Verb>& verb : verbs_) {
    const Words words = words_of(*verb);
    CLI::App* parent = &app;
    if (!words.second.empty()) {
      CLI::App*& group = groups[words.first];
      if (!group) {
        group = app.add_subcommand(words.first, "");
        group->require_subcommand(1);
      }
      parent = group;
    }
    CLI::App* sub = parent->add_subcommand(words.second.empty() ? words.first : words.second, std::string(verb->summary()));
    sub->set_help_flag("-h,--help", "this text");
    verb->declare(*sub);
    check_values(*sub);
    sub->add_option("--format", format, "how results are written to stdout")
        ->check(CLI::IsMember({"text", "json"}))
        ->option_text("text|json")
        ->group("Output");
    sub->add_option("--progress", progress, "how to show progress on stderr (default: plain on a terminal)")
        ->check(CLI::IsMember({"none", "plain", "json"}))->option_text("none|plain|json")->group("Output");
    verb_of[sub] = verb.get();
  }

  if (arguments.empty() || arguments.front() == "-h" || arguments.front() == "--help" || arguments.front() == "help") {
    console_.out() << overview();
    return arguments.empty() ? ExitCode::bad_input : ExitCode::ok;
  }
  const std::string first = arguments.front();
  const bool known = std::ranges::any_of(verbs_, [&](const auto& verb) { return words_of(*verb).first == first; });
  if (!known && !first.starts_with('-')) return unknown_verb(first);

  std::ranges::reverse(arguments);  // As CLI11 wants them.
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* asked = &app;
    while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
    console_.out() << help_of(*asked);
    return ExitCode::ok;
  } catch (const CLI::ParseError& wrong) {
    std::string message = wrong.what();
    message.erase(message.find_last_not_of(" \n.") + 1);
    console_.error(message, known ? "'rackwright " + first + " --help' says more" : "'rackwright --help' says more");
    return ExitCode::bad_input;
  }
  if (wants_version) {
    console_.out() << "rackwright " << version() << '\n';
    return ExitCode::ok;
  }
  console_.format_ = format == "json" ? Format::json : Format::text;
  console_.progress_ = progress == "json"    ? ProgressMode::json
                       : progress == "plain" ? ProgressMode::plain
                                             : ProgressMode::none;
  for (const auto& [sub, verb] : verb_of) {
    if (sub->parsed()) return verb->run(console_);
  }
  console_.out() << overview();
  return ExitCode::bad_input;
}

ExitCode CommandLine::unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Verb>& verb : verbs_) {
    const std::string first = words_of(*verb).first;
    if (std::ranges::find(names, first) == names.end()) names.push_back(first);
  }
  console_.error("'" + word + "' is not a verb of rackwright", name_hint(word, names));
  return ExitCode::bad_input;
}

std::string CommandLine::overview() const {
  std::ostringstream text;
  text << "Rackwright simulates AI-inference datacenters.\n\nusage: rackwright VERB …\n\n";
  std::size_t widest = 0;
  for (const auto& verb : verbs_) widest = std::max(widest, verb->name().size());
  for (const auto& verb : verbs_) {
    text << "  " << verb->name() << std::string(widest + 3 - verb->name().size(), ' ') << verb->summary() << '\n';
  }
  text << "\n'rackwright VERB --help' says more. Results go to stdout, progress and diagnostics to stderr.\n"
          "Exit codes: 0 ok, 1 a requested gate failed, 2 bad input, 3 files or memory, 4 cancelled,\n"
          "5 stopped by the watchdog, 70 a bug of ours.\n";
  return text.str();
}

}  // namespace rackwright::cli
