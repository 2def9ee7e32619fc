#include "scenarios/results/requests_csv.h"

#include <array>
#include <charconv>

namespace rackwright::results {
namespace {

template <class Integer>
void append_integer(std::string& text, Integer value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

/// Exact seconds without trailing zeros: 1 500 000 000 000 ps is "1.5".
void append_seconds(std::string& text, SimTime time) {
  auto ps = static_cast<std::uint64_t>(time.ps);
  if (time.ps < 0) {
    text += '-';
    ps = 0 - ps;
  }
  append_integer(text, ps / picoseconds_per_second);
  std::uint64_t fraction = ps % picoseconds_per_second;
  if (fraction == 0) return;
  std::array<char, 13> digits{'.'};
  for (std::size_t i = 11; i < 12; i -= 2) {  // Two at a time: a row has nine of these.
    const auto pair = static_cast<std::uint32_t>(fraction % 100);
    digits[i] = static_cast<char>('0' + pair / 10);
    digits[i + 1] = static_cast<char>('0' + pair % 10);
    fraction /= 100;
  }
  std::size_t length = digits.size();
  while (digits[length - 1] == '0') --length;
  text.append(digits.data(), length);
}

/// As the canonical trace form writes it: 16 hexadecimal digits.
void append_key(std::string& text, std::uint64_t key) {
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[key >> shift & 0xf];
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

RequestsCsv::RequestsCsv(const RunDescription& run) {
  for (const RequestClass& request_class : run.classes) classes_.push_back(csv_cell(request_class.name));
  for (const PoolDescription& pool : run.pools) pools_.push_back(csv_cell(pool.name));
}

std::string RequestsCsv::header() {
  return "id,class,pool,instance,outcome,arrival_s,scheduled_s,first_token_s,last_token_s,"
         "queue_s,ttft_s,tpot_s,e2e_s,longest_gap_s,"
         "input_tokens,cached_input_tokens,output_tokens,preemptions,logged_ttft_s,logged_e2e_s,kv_exposed_s,"
         "session,tool_s,tool_wait_s,first_visible_s,first_audio_s,speech_gap_s,other_output_tokens\n";
}

void RequestsCsv::append(std::string& text, const RequestOutcome& r) const {
  const bool served = r.outcome == Outcome::completed;
  const bool has_gap = served && r.output_tokens >= 2;
  const auto integer = [&](auto value) {
    append_integer(text, value);
    text += ',';
  };
  const auto name = [&](const std::vector<std::string>& names, std::uint32_t index) {
    if (index < names.size()) text += names[index];
    text += ',';
  };
  const auto seconds = [&](bool known, SimTime time) {
    if (known) append_seconds(text, time);
    text += ',';
  };
  integer(r.id);
  name(classes_, r.request_class);
  name(pools_, r.pool);
  integer(r.instance);
  text += to_string(r.outcome);
  text += ',';
  seconds(true, r.arrival);
  seconds(served, r.scheduled);
  seconds(served, r.first_token);
  seconds(served, r.last_token);
  seconds(served, r.queue());
  seconds(served, r.ttft());
  seconds(has_gap, has_gap ? r.tpot() : SimTime{});
  seconds(served, r.e2e());
  seconds(has_gap, r.longest_gap);
  integer(r.input_tokens);
  integer(r.cached_input_tokens);
  integer(r.output_tokens);
  integer(r.preemptions);
  if (r.logged.first_token) append_seconds(text, *r.logged.first_token - r.arrival);
  text += ',';
  if (r.logged.completion) append_seconds(text, *r.logged.completion - r.arrival);
  text += ',';
  if (r.kv_exposed) append_seconds(text, *r.kv_exposed);
  text += ',';
  if (r.session != 0) append_key(text, r.session);
  text += ',';
  seconds(r.tool_time.ps > 0 || r.tool_wait.ps > 0, r.tool_time);
  seconds(r.tool_time.ps > 0 || r.tool_wait.ps > 0, r.tool_wait);
  seconds(served && r.first_visible, r.first_visible ? *r.first_visible - r.arrival : SimTime{});
  seconds(served && r.turn, r.turn ? r.first_audio_time() : SimTime{});
  seconds(served && r.turn, r.turn ? r.turn->longest_gap : SimTime{});
  if (r.other_tokens > 0) append_integer(text, r.other_tokens);
  text += '\n';
}

}  // namespace rackwright::results
