/// Feeds any bytes to the reader of scenario files. Whatever it accepts must survive what tools do next:
/// writing, reading back, and an edit of the text, with the same message each time.
#include <cstddef>
#include <cstdint>
#include <string>

#include "models/base/invariant.h"
#include "scenarios/codec/codec.h"
#include "scenarios/codec/editable_text.h"
#include "scenarios/codec/message_path.h"
#include "scenarios/codec/no_effect.h"
#include "tests/support/sample.pb.h"

using namespace rackwright;
using scenarios::Format;

namespace {

std::string bytes_of(const test::Sample& sample) { return scenarios::write_message(sample, Format::binary); }

void check_same(const std::string& text, Format format, const test::Sample& expected) {
  test::Sample read;
  Diagnostics diagnostics;
  scenarios::read_message("again", text, format, read, diagnostics);
  invariant(!diagnostics.has_errors(), "what was written can be read");
  invariant(bytes_of(read) == bytes_of(expected), "what was written reads back as the same message");
}

void check_edit(const std::string& text, Format format, const test::Sample& sample) {
  Diagnostics diagnostics;
  const auto notation = format == Format::json ? scenarios::Notation::json : scenarios::Notation::yaml;
  const auto editable = scenarios::EditableText::read(scenarios::SourceText("fuzz", text), notation, *test::Sample::descriptor(), diagnostics);
  invariant(editable.has_value(), "what was read can be edited");
  for (const std::string path : {"seed", "name", "deployment[0].device.idle_power", "devices.x.preset", "deployment[0].scheduler.policy"}) {
    const std::string value = path.ends_with("power") ? "3 W" : path.ends_with("policy") ? "fcfs" : "12";
    test::Sample changed = sample;
    invariant(scenarios::set_path(changed, path, value, {}, diagnostics), "the path is in the schema");
    const auto edits = editable->set(path, value, {}, diagnostics);
    invariant(edits.has_value(), "the text takes the same edit as the message");
    check_same(scenarios::apply_edits(text, *edits), format, changed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the format, so that one corpus serves all.
  const Format format = data[0] == 'j' ? Format::json : data[0] == 't' ? Format::textproto : data[0] == 'b' ? Format::binary : Format::yaml;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  test::Sample sample;
  Diagnostics diagnostics;
  const scenarios::SourceMap places = scenarios::read_message("fuzz", text, format, sample, diagnostics);
  if (diagnostics.has_errors()) return 0;
  scenarios::warn_of_no_effect(sample, places, diagnostics);
  for (const Format written : {Format::yaml, Format::json, Format::textproto, Format::binary}) {
    check_same(scenarios::write_message(sample, written), written, sample);
  }
  if (format == Format::yaml || format == Format::json) check_edit(text, format, sample);
  return 0;
}
