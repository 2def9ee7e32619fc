#include <string>

#include "scenarios/codec/codec.h"
#include "scenarios/codec/message_writer.h"
#include "tests/support/catch.h"
#include "tests/support/random_sample.h"
#include "tests/support/sample_reading.h"

using namespace rackwright;
using scenarios::Format;

namespace {

/// Equal messages have equal bytes, since maps are written by ascending key.
std::string bytes(const test::Sample& sample) { return scenarios::write_message(sample, Format::binary); }

void check_reads_as(const std::string& text, Format format, const test::Sample& expected) {
  test::Sample sample;
  Diagnostics diagnostics;
  scenarios::read_message("s", text, format, sample, diagnostics);
  INFO(text);
  CHECK(tests::text_of(diagnostics).empty());
  CHECK(bytes(sample) == bytes(expected));
}

}  // namespace

TEST_CASE("Whatever is written in one of the four formats reads back as the same message") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "codec", "round trip");
    const test::Sample sample = tests::random_sample(random);
    for (const Format format : {Format::yaml, Format::json, Format::textproto, Format::binary}) {
      CAPTURE(static_cast<int>(format));
      check_reads_as(scenarios::write_message(sample, format), format, sample);
    }
  }
}

TEST_CASE("What a file means does not depend on its layout") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "codec", "layout");
    const test::Sample sample = tests::random_sample(random);
    check_reads_as(tests::random_layout(scenarios::message_tree(sample), random), Format::yaml, sample);
  }
}
