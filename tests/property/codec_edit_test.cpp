#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/codec/codec.h"
#include "scenarios/codec/editable_text.h"
#include "scenarios/codec/message_path.h"
#include "scenarios/codec/message_writer.h"
#include "tests/support/catch.h"
#include "tests/support/random_sample.h"
#include "tests/support/sample_reading.h"

using namespace rackwright;
using scenarios::EditableText;
using scenarios::Format;
using scenarios::Notation;
using scenarios::TextEdits;
using tests::below;
using tests::chance;

namespace {

const Location here{"test"};

/// One edit: done to the text by its path, and to the message by the generated code.
struct Edit {
  enum class Keeps { every_comment, comments_outside };
  std::string what;
  std::optional<TextEdits> text;
  Keeps keeps = Keeps::every_comment;
};

std::string bytes(const test::Sample& sample) { return scenarios::write_message(sample, Format::binary); }

/// The numbered comments of a random layout.
std::multiset<std::string> comments_of(const std::string& text) {
  std::multiset<std::string> comments;
  for (std::size_t at = text.find("# c"); at != std::string::npos; at = text.find("# c", at + 1)) {
    std::size_t end = at + 3;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end > at + 3) comments.insert(text.substr(at, end - at));
  }
  return comments;
}

class Editor {
 public:
  Editor(const EditableText& text, test::Sample& sample, RandomStream& random) : text_(text), sample_(sample), random_(random) {}

  Edit edit() {
    switch (below(random_, 8)) {
      case 0:
      case 1: return set_scalar();
      case 2: return set_group();
      case 3: return remove();
      case 4: return insert();
      case 5: return duplicate();
      case 6: return move();
      default: return rename();
    }
  }

 private:
  std::string pool_path() {
    if (sample_.deployment().empty()) return "deployment[0]";
    const std::size_t i = below(random_, static_cast<std::size_t>(sample_.deployment_size()));
    const test::Pool& pool = sample_.deployment(static_cast<int>(i));
    const bool named = pool.has_pool() && std::ranges::count_if(sample_.deployment(), [&](const test::Pool& other) {
                         return other.pool() == pool.pool();
                       }) == 1;
    return named && chance(random_, 0.5) ? scenarios::child_path("deployment", pool.pool()) : scenarios::child_path("deployment", i);
  }

  std::string device_path() {
    if (chance(random_, 0.5)) return pool_path() + ".device";
    if (sample_.devices().empty() || chance(random_, 0.3)) return scenarios::child_path("devices", "new" + tests::random_text(random_));
    auto entry = sample_.devices().begin();
    std::advance(entry, static_cast<std::ptrdiff_t>(below(random_, sample_.devices().size())));
    return scenarios::child_path("devices", entry->first);
  }

  Edit set(const std::string& path, const std::string& value, Edit::Keeps keeps) {
    Diagnostics ours;
    Diagnostics theirs;
    const std::optional<TextEdits> edits = text_.set(path, value, here, ours);
    const bool fits = scenarios::set_path(sample_, path, value, here, theirs);
    CAPTURE(path, value, tests::text_of(ours), tests::text_of(theirs));
    CHECK(fits == edits.has_value());
    return {"set " + path + " = " + value, edits, keeps};
  }

  Edit set_scalar() {
    switch (below(random_, 11)) {
      case 0: return set("name", tests::random_text(random_), Edit::Keeps::every_comment);
      case 1: return set("seed", std::to_string(below(random_, 1000)), Edit::Keeps::every_comment);
      case 2: return set("duration", "7 min", Edit::Keeps::every_comment);
      case 3: return set("verbose", "false", Edit::Keeps::every_comment);
      case 4: return set(device_path() + ".preset", tests::random_text(random_), Edit::Keeps::every_comment);
      case 5: return set(device_path() + ".idle_power", "3.5 kW", Edit::Keeps::every_comment);
      case 6: return set(device_path() + ".peak.fp8", "2 PFLOP/s", Edit::Keeps::every_comment);
      case 7: return set(pool_path() + ".scheduler.policy", "fcfs", Edit::Keeps::every_comment);
      case 8: return set(pool_path() + ".scheduler.token_budget", "512", Edit::Keeps::every_comment);
      case 9: return set(scenarios::child_path("aliases", tests::random_text(random_) + "x"), tests::random_text(random_), Edit::Keeps::every_comment);
      default: return set(pool_path() + ".on", tests::random_text(random_), Edit::Keeps::every_comment);
    }
  }

  Edit set_group() {
    switch (below(random_, 4)) {
      case 0: return set(device_path(), "{preset: h200, peak: {fp8: 1 PFLOP/s}}", Edit::Keeps::comments_outside);
      case 1: return set("notes", "[x, \"a: b\"]", Edit::Keeps::comments_outside);
      case 2: return set(pool_path() + ".scheduler", "sarathi", Edit::Keeps::comments_outside);
      default: return set(pool_path() + ".labels", "[p, q]", Edit::Keeps::comments_outside);
    }
  }

  Edit remove() {
    const std::vector<std::string> paths = {"name", "notes", "notes[0]", "devices", device_path(), device_path() + ".preset",
                                            device_path() + ".peak", device_path() + ".peak.fp8", pool_path(),
                                            pool_path() + ".device", pool_path() + ".ids[1]", pool_path() + ".on",
                                            pool_path() + ".pool", pool_path() + ".labels.values[0]", pool_path() + ".scheduler.policy"};
    const std::string& path = paths[below(random_, paths.size())];
    Diagnostics ours;
    Diagnostics theirs;
    const std::optional<TextEdits> edits = text_.remove(path, here, ours);
    const bool fits = scenarios::remove_path(sample_, path, here, theirs);
    CAPTURE(path, tests::text_of(ours), tests::text_of(theirs));
    // An empty list or mapping may be written, but is not given in the message.
    if (fits || !edits) CHECK(fits == edits.has_value());
    return {"remove " + path, edits, Edit::Keeps::comments_outside};
  }

  /// The list that a path leads to, as the message has it.
  template <class List>
  static void insert_at(List& list, std::size_t index) {
    for (int i = list.size() - 1; i > static_cast<int>(index); --i) list.SwapElements(i, i - 1);
  }

  Edit insert() {
    Diagnostics diagnostics;
    if (chance(random_, 0.5)) {
      const std::size_t index = below(random_, static_cast<std::size_t>(sample_.deployment_size()) + 1);
      const std::string name = "new" + std::to_string(below(random_, 1000000));
      const std::string item = "{pool: " + name + ", on: r, device: {preset: d, idle_power: 2 W}}";
      const auto edits = text_.insert_item("deployment", index, item, here, diagnostics);
      test::Pool& pool = *sample_.add_deployment();
      pool.set_pool(name);
      pool.set_on("r");
      pool.mutable_device()->set_preset("d");
      pool.mutable_device()->set_idle_power(2);
      insert_at(*sample_.mutable_deployment(), index);
      return {"insert pool", edits, Edit::Keeps::every_comment};
    }
    const std::size_t index = below(random_, static_cast<std::size_t>(sample_.notes_size()) + 1);
    const std::string note = tests::random_text(random_);
    const auto edits = text_.insert_item("notes", index, note, here, diagnostics);
    sample_.add_notes(note);
    insert_at(*sample_.mutable_notes(), index);
    return {"insert note " + note, edits, Edit::Keeps::every_comment};
  }

  Edit duplicate() {
    if (sample_.deployment().empty()) return {};
    Diagnostics diagnostics;
    const std::size_t index = below(random_, static_cast<std::size_t>(sample_.deployment_size()));
    const bool named = sample_.deployment(static_cast<int>(index)).has_pool();
    const std::string name = named ? tests::random_text(random_) + std::to_string(below(random_, 1000000)) : "";
    const auto edits = text_.duplicate_item(scenarios::child_path("deployment", index), name, here, diagnostics);
    test::Pool& copy = *sample_.add_deployment();
    copy = sample_.deployment(static_cast<int>(index));
    if (named) copy.set_pool(name);
    insert_at(*sample_.mutable_deployment(), index + 1);
    return {"duplicate pool " + std::to_string(index), edits, Edit::Keeps::every_comment};
  }

  template <class List>
  Edit move_in(const std::string& path, List& list) {
    if (list.size() == 0) return {};
    Diagnostics diagnostics;
    const std::size_t from = below(random_, static_cast<std::size_t>(list.size()));
    const std::size_t to = below(random_, static_cast<std::size_t>(list.size()));
    const auto edits = text_.move_item(scenarios::child_path(path, from), to, here, diagnostics);
    for (std::size_t i = from; i < to; ++i) list.SwapElements(static_cast<int>(i), static_cast<int>(i + 1));
    for (std::size_t i = from; i > to; --i) list.SwapElements(static_cast<int>(i), static_cast<int>(i - 1));
    return {"move " + path, edits, Edit::Keeps::every_comment};
  }

  Edit move() {
    return chance(random_, 0.6) ? move_in("deployment", *sample_.mutable_deployment()) : move_in("notes", *sample_.mutable_notes());
  }

  Edit rename() {
    if (sample_.devices().empty()) return {};
    Diagnostics diagnostics;
    const std::string old = sample_.devices().begin()->first;
    const std::string name = tests::random_text(random_) + std::to_string(below(random_, 1000000));
    const auto edits = text_.rename_key(scenarios::child_path("devices", old), name, here, diagnostics);
    const test::Device device = sample_.devices().at(old);
    sample_.mutable_devices()->erase(old);
    (*sample_.mutable_devices())[name] = device;
    return {"rename " + old + " to " + name, edits, Edit::Keeps::every_comment};
  }

  const EditableText& text_;
  test::Sample& sample_;
  RandomStream& random_;
};

/// Every comment that must still be there: all of them, or those outside the lines that the edits replace.
std::multiset<std::string> comments_to_keep(const std::string& text, const Edit& edit) {
  if (edit.keeps == Edit::Keeps::every_comment) return comments_of(text);
  const scenarios::SourceText source("", text);
  std::string rest = text.substr(0, source.line_begin(edit.text->front().offset));
  const scenarios::TextEdit& last = edit.text->back();
  const std::size_t end = last.offset + last.length;
  rest += text.substr(end > 0 && text[end - 1] == '\n' ? end : source.line_end(end));
  return comments_of(rest);
}

void check_edits(std::string text, Notation notation, test::Sample sample, RandomStream& random) {
  const Format format = notation == Notation::json ? Format::json : Format::yaml;
  for (int step = 0; step < 12; ++step) {
    CAPTURE(step, text);
    Diagnostics diagnostics;
    const auto editable = EditableText::read(scenarios::SourceText("s", text), notation, *test::Sample::descriptor(), diagnostics);
    INFO(tests::text_of(diagnostics));
    REQUIRE(editable);
    test::Sample expected = sample;
    const Edit edit = Editor(*editable, expected, random).edit();
    if (!edit.text) continue;
    const std::string edited = scenarios::apply_edits(text, *edit.text);
    CAPTURE(edit.what, edited);
    test::Sample found;
    Diagnostics findings;
    scenarios::read_message("s", edited, format, found, findings);
    CAPTURE(tests::text_of(findings));
    REQUIRE(bytes(found) == bytes(expected));
    REQUIRE(scenarios::apply_edits(edited, scenarios::inverse_edits(text, *edit.text)) == text);
    const auto left = comments_of(edited);
    REQUIRE(std::ranges::includes(left, comments_to_keep(text, edit)));
    text = edited;
    sample = expected;
  }
}

}  // namespace

TEST_CASE("Edits of a YAML text give the message with the same edits, keep comments, and undo to the byte") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "codec", "edit yaml");
    const test::Sample sample = tests::random_sample(random);
    check_edits(tests::random_layout(scenarios::message_tree(sample), random), Notation::yaml, sample, random);
  }
}

TEST_CASE("Edits of a JSON text give JSON") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "codec", "edit json");
    const test::Sample sample = tests::random_sample(random);
    check_edits(scenarios::write_message(sample, Format::json), Notation::json, sample, random);
  }
}
