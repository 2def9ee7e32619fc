#include "traces/readers/row_cleaner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/hash.h"

namespace rackwright::traces {
namespace {

/// A model or class column with more texts is most likely another column, and must not fill the memory.
constexpr std::size_t most_names = 65'536;

/// Longer answers do not exist; such a difference comes from two clocks.
constexpr SimTime longest_answer{30 * 86'400 * picoseconds_per_second};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y; });
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return equal_ignoring_case(text, word); });
}

/// Integers as logs write them: "472", "472.0", "4.72e2". Nothing for anything else.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure == std::errc{} && stop == end) return value;
  double real = 0;
  const auto [stop_real, bad] = std::from_chars(text.data(), end, real);
  if (bad != std::errc{} || stop_real != end || std::abs(real) > 1e15 || real != std::floor(real)) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

/// A parent that is none: -1 in Bailian's traces, null as text, OTLP's all-zero span id.
bool names_nobody(std::string_view parent) {
  return parent == "-1" || is_one_of(parent, {"none", "null", "nan"}) ||
         (parent.size() >= 8 && parent.find_first_not_of('0') == std::string_view::npos);
}

std::uint64_t key_of(std::string_view text) { return std::max<std::uint64_t>(hash64(text), 1); }

/// Ids of the canonical form count up from 0; as keys they count from 1.
std::uint64_t id_key(std::string_view text, bool canonical) {
  std::uint64_t number = 0;
  if (!canonical) return key_of(text);
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && stop == text.data() + text.size() ? number + 1 : 0;
}

/// Session keys of the canonical form are written as they are, in hexadecimal.
std::uint64_t session_key(std::string_view text, bool canonical) {
  std::uint64_t key = 0;
  if (!canonical) return key_of(text);
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), key, 16);
  return failure == std::errc{} && stop == text.data() + text.size() ? key : key_of(text);
}

std::uint64_t fingerprint(const CleanRow& row) {
  const Request& request = row.request;
  const std::array<std::uint64_t, 10> words{
      static_cast<std::uint64_t>(row.arrival.seconds), static_cast<std::uint64_t>(row.arrival.ps),
      (static_cast<std::uint64_t>(request.input_tokens) << 32) | static_cast<std::uint64_t>(request.output_tokens),
      (std::uint64_t{request.model} << 32) | request.request_class, request.session, row.id_key, row.parent_key,
      static_cast<std::uint64_t>(row.first_token_after.value_or(SimTime{-1}).ps),
      static_cast<std::uint64_t>(row.completion_after.value_or(SimTime{-1}).ps),
      static_cast<std::uint64_t>(request.block_tokens)};
  const std::uint64_t head = hash64({reinterpret_cast<const char*>(words.data()), sizeof words});
  if (request.block_hashes.empty()) return head;
  return hash64({reinterpret_cast<const char*>(request.block_hashes.data()), request.block_hashes.size() * sizeof(std::uint64_t)}, head);
}

}  // namespace

RowCleaner::RowCleaner(const ColumnMapping& mapping, const TraceOptions& options, StringTable& names, RowCounts& counts)
    : mapping_(mapping), options_(options), names_(names), counts_(counts), clock_(options.clock_period) {}

bool RowCleaner::drop(RowCause cause, const RawRow& raw, std::string_view what) {
  counts_.add(cause, RowFate::dropped, raw.line, what);
  return false;
}

bool RowCleaner::clean(const RawRow& raw, CleanRow& row) {
  if (raw.repaired_utf8) counts_.add(RowCause::bad_utf8, RowFate::repaired, raw.line);
  if (!raw.problem.empty()) return drop(RowCause::malformed, raw, raw.problem);
  const bool counted = raw[Field::input_tokens].present && raw[Field::output_tokens].present;
  if (mapping_.other_events && !counted && raw[Field::tool].present) return clean_tool(raw, row);
  if (options_.failed_requests == FailedRequests::drop && is_failed(raw)) {
    return drop(RowCause::failed, raw, raw[Field::error].present ? raw[Field::error].text.substr(0, 60) : raw[Field::status].text);
  }
  const std::string_view cached = raw[Field::cached].text;
  if (options_.cached_responses == CachedResponses::drop && is_one_of(cached, {"true", "1", "hit", "yes"})) {
    return drop(RowCause::cached_response, raw);
  }
  if (mapping_.other_events && !counted) return drop(RowCause::other_event, raw);
  if (!read(raw, row)) return false;
  if (recent_.seen(fingerprint(row))) {
    if (options_.duplicates == Duplicates::drop) return drop(RowCause::duplicate, raw);
    counts_.add(RowCause::duplicate, RowFate::kept, raw.line);
  }
  return true;
}

bool RowCleaner::is_failed(const RawRow& raw) const {
  const FieldValue& error = raw[Field::error];
  if (error.present && !is_one_of(error.text, {"none", "null", "nan", "false", "0"})) return true;
  const std::string_view status = raw[Field::status].text;
  if (status.empty()) return false;
  if (std::ranges::find(mapping_.failed, status) != mapping_.failed.end()) return true;
  const std::optional<std::int64_t> code = parse_integer(status);
  if (code) return *code >= 400 && *code <= 599;  // RFC 9110: client and server errors.
  return is_one_of(status, {"failure", "failed", "fail", "error", "errored", "cancelled", "canceled", "aborted", "timeout", "timed_out", "rejected"});
}

bool RowCleaner::read_count(const RawRow& raw, Field field, std::int64_t& count) {
  const FieldValue& value = raw[field];
  if (!value.present) return drop(RowCause::malformed, raw, fmt::format("{} is missing", to_string(field)));
  const std::optional<std::int64_t> parsed = parse_integer(value.text);
  if (!parsed || *parsed < 0 || *parsed > std::numeric_limits<std::int32_t>::max()) {
    return drop(RowCause::malformed, raw, fmt::format("{} is '{}'", to_string(field), value.text.substr(0, 40)));
  }
  count = *parsed;
  return true;
}

bool RowCleaner::read_tokens(const RawRow& raw, Request& request) {
  std::int64_t input = 0;
  std::int64_t output = 0;
  if (!read_count(raw, Field::input_tokens, input) || !read_count(raw, Field::output_tokens, output)) return false;
  for (const Field uncounted : {Field::cache_read_tokens, Field::cache_write_tokens}) {
    std::int64_t more = 0;
    if (!raw[uncounted].present) continue;
    if (!read_count(raw, uncounted, more)) return false;
    input = std::min<std::int64_t>(input + more, std::numeric_limits<std::int32_t>::max());
  }
  if (output == 0) {
    if (options_.zero_output == ZeroTokens::drop) return drop(RowCause::zero_output, raw);
    counts_.add(RowCause::zero_output, RowFate::repaired, raw.line);
  }
  if (input == 0) {
    if (options_.zero_input == ZeroTokens::drop) return drop(RowCause::zero_input, raw);
    counts_.add(RowCause::zero_input, RowFate::repaired, raw.line);
  }
  request.input_tokens = static_cast<std::int32_t>(std::max<std::int64_t>(input, 1));
  request.output_tokens = static_cast<std::int32_t>(std::max<std::int64_t>(output, 1));
  return true;
}

bool RowCleaner::read_time(const RawRow& raw, Field field, Instant& instant) {
  const FieldValue& value = raw[field];
  if (!value.present) return drop(RowCause::malformed, raw, fmt::format("{} is missing", to_string(field)));
  const std::optional<Instant> parsed = parse_instant(value.text, mapping_[field][value.column].unit, problem_);
  if (!parsed) return drop(RowCause::malformed, raw, problem_);
  instant = *parsed;
  return true;
}

std::uint64_t RowCleaner::key_of_session(std::string_view text) const { return session_key(text, mapping_.canonical); }

std::uint32_t RowCleaner::name(std::string_view text, std::uint64_t line) {
  if (names_.size() < most_names || names_.knows(text)) return names_.id(text);
  counts_.add(RowCause::too_many_names, RowFate::repaired, line, text.substr(0, 40));
  return names_.id("(other)");
}

bool RowCleaner::read(const RawRow& raw, CleanRow& row) {
  Request& request = row.request;
  Instant reading;
  if (!read_tokens(raw, request) || !read_time(raw, Field::arrival, reading)) return false;
  bool wrapped = false;
  row.arrival = clock_.unwrap(reading, wrapped);
  if (wrapped) {
    counts_.add(RowCause::wrapped_clock, RowFate::repaired, raw.line, fmt::format("after {} s", clock_.period()->seconds()));
  }
  row.line = raw.line;
  request.model = name(raw[Field::model].text, raw.line);
  request.request_class = name(raw[Field::request_class].text, raw.line);
  const std::string_view session = raw[Field::session].text;
  request.session = session.empty() ? 0 : key_of_session(session);
  const FieldValue& id = raw[Field::id];
  const FieldValue& parent = raw[Field::parent];
  row.id_key = id.present ? id_key(id.text, mapping_.canonical) : 0;
  row.parent_key = parent.present && !names_nobody(parent.text) ? id_key(parent.text, mapping_.canonical) : 0;
  request.block_hashes = raw.block_hashes;
  request.block_tokens = 0;
  if (!request.block_hashes.empty()) {
    std::int64_t block_tokens = raw.block_tokens > 0 ? raw.block_tokens : mapping_.block_tokens;
    if (raw[Field::block_tokens].present && !read_count(raw, Field::block_tokens, block_tokens)) return false;
    request.block_tokens = static_cast<std::int32_t>(block_tokens);
  }
  if (!read_generation(raw, row)) return false;
  SimTime pause;
  if (!read_duration(raw, Field::think_time, pause)) return false;
  row.think_time = raw[Field::think_time].present ? std::optional(pause) : std::nullopt;
  // Offsets are taken on the log's own readings, so that a wrap between two of them shows as a strange time.
  row.arrival = std::exchange(reading, row.arrival);
  read_logged_times(raw, row);
  row.arrival = reading;
  return true;
}

/// The time of a field since the arrival. Nothing where the log has none.
std::optional<SimTime> RowCleaner::since_arrival(const RawRow& raw, Field field, Instant arrival) {
  const FieldValue& value = raw[field];
  if (!value.present) return std::nullopt;
  const Column& column = mapping_[field][value.column];
  const std::optional<Instant> instant = parse_instant(value.text, column.unit, problem_);
  if (!instant) return SimTime{-1};
  if (column.meaning == TimeMeaning::since_arrival) return *instant - Instant{};
  const FieldValue& clock = raw[Field::clock];
  if (!clock.present) return *instant - arrival;
  const std::optional<Instant> start = parse_instant(clock.text, mapping_[Field::clock][clock.column].unit, problem_);
  return start ? *instant - *start : SimTime{-1};
}

void RowCleaner::read_logged_times(const RawRow& raw, CleanRow& row) {
  row.first_token_after = since_arrival(raw, Field::first_token, row.arrival);
  row.completion_after = since_arrival(raw, Field::completion, row.arrival);
  const auto impossible = [](const std::optional<SimTime>& time) { return time && (*time < SimTime{} || *time > longest_answer); };
  const bool reversed = row.first_token_after && row.completion_after && *row.completion_after < *row.first_token_after;
  if (!impossible(row.first_token_after) && !impossible(row.completion_after) && !reversed) return;
  counts_.add(RowCause::strange_log_time, RowFate::repaired, raw.line, "the logged times of this row are left out");
  row.first_token_after.reset();
  row.completion_after.reset();
}

}  // namespace rackwright::traces
