#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/text/instant.h"

namespace rackwright::traces {

/// What a log can tell about a request.
enum class Field : std::uint8_t {
  arrival,        ///< Required.
  input_tokens,   ///< Required.
  output_tokens,  ///< Required.
  model,
  request_class,
  session,        ///< Rows with the same text belong to one conversation.
  id,             ///< What `parent` of another row refers to.
  parent,
  block_hashes,   ///< A list of integers or texts, or an object that holds them.
  block_tokens,
  first_token,
  completion,
  think_time,     ///< Between the parent's completion and this request.
  clock,          ///< The arrival on the clock of `first_token` and `completion`, where that is another one.
  status,         ///< An HTTP status or a word such as "failure".
  error,          ///< Filled only where the request failed.
  cached,         ///< True where a response cache answered, so that no model ran.
  cache_read_tokens,   ///< Prompt tokens that `input_tokens` leaves out since a prefix cache had them.
  cache_write_tokens,  ///< Prompt tokens that `input_tokens` leaves out since they were put into a prefix cache.
  reasoning_tokens,    ///< Hidden ones among the output tokens.
  acceptance,          ///< Chance that a drafted token is accepted.
  speech,              ///< How long the user spoke.
  tool,                ///< A tool that ran: before this request, or as an event of its own.
  tool_time,           ///< How long it ran before this request.
  tools,               ///< All tools that ran before this request, as CanonicalWriter writes them.
};
inline constexpr std::size_t field_count = 25;

std::string_view to_string(Field field);
std::optional<Field> find_field(std::string_view name);

enum class TimeMeaning : std::uint8_t { instant, since_arrival };

/// A CSV column, or a path into a JSON row: "usage.prompt_tokens" is `prompt_tokens` inside `usage`, or the key
/// with that dot. Paths also lead into OTLP attribute lists and into cells that hold JSON or a Python dict.
struct Column {
  Column(std::string column_name, TimeUnit time_unit = TimeUnit::automatic, TimeMeaning time_meaning = TimeMeaning::instant)
      : name(std::move(column_name)), unit(time_unit), meaning(time_meaning) {}
  Column(const char* column_name) : name(column_name) {}

  std::string name;
  TimeUnit unit;        ///< Of a number that is a time.
  TimeMeaning meaning;  ///< Of `first_token` and `completion`.
};

/// Where a log keeps what the simulator needs. Of a field's columns the first that a row fills counts.
struct ColumnMapping {
  std::array<std::vector<Column>, field_count> columns;
  std::int32_t block_tokens = 0;    ///< Tokens per hashed block, where no column says so.
  std::vector<std::string> header;  ///< Column names of a CSV file without a header line.
  std::vector<std::string> failed;  ///< Values of `status` that mean failure in this log alone.
  /// Rows without token counts are other events (spans of tools and agents), not damaged requests.
  bool other_events = false;
  /// Session keys are hexadecimal and ids are positions, as CanonicalWriter wrote them.
  bool canonical = false;

  std::vector<Column>& operator[](Field field) { return columns[static_cast<std::size_t>(field)]; }
  const std::vector<Column>& operator[](Field field) const { return columns[static_cast<std::size_t>(field)]; }
};

}  // namespace rackwright::traces
