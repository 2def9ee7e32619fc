#include "traces/writers/canonical_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "models/base/diagnostic.h"
#include "traces/records/tool_list.h"
#include "traces/text/byte_sink.h"

namespace rackwright::traces {
namespace {

constexpr std::size_t piece_bytes = std::size_t{64} * 1024;

std::string csv_text(std::string_view text) {
  if (text.find_first_of("\",\r\n \t#") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_list(std::string& to, const std::vector<std::uint64_t>& values, char separator) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) to += separator;
    fmt::format_to(std::back_inserter(to), "{}", values[i]);
  }
}

}  // namespace

std::optional<CanonicalForm> canonical_form(const std::string& path, Diagnostics& diagnostics) {
  std::string_view name = path;
  CanonicalForm form{CanonicalForm::Container::csv, Compression::none};
  if (name.ends_with(".gz")) {
    form.compression = Compression::gzip;
    name.remove_suffix(3);
  } else if (name.ends_with(".zst")) {
    form.compression = Compression::zstd;
    name.remove_suffix(4);
  }
  if (name.ends_with(".jsonl")) form.container = CanonicalForm::Container::json_lines;
  else if (!name.ends_with(".csv")) {
    diagnostics.error({path}, {}, "the name does not tell the form to write", "end it in .csv or .jsonl, and .gz or .zst if wanted");
    return std::nullopt;
  }
  return form;
}

CanonicalWriter::CanonicalWriter(const std::string& path, CanonicalForm form) : form_(form), file_(create_file(path, form.compression)) {
  if (form_.container == CanonicalForm::Container::csv) {
    pending_ = "id,arrival_ps,input_tokens,output_tokens,model,class,session,parent,think_time_ps,first_token_ps,completion_ps,"
               "block_tokens,block_hashes,reasoning_tokens,acceptance,speech_ps,tools\n";
  }
}

CanonicalWriter::~CanonicalWriter() = default;

/// A name as it is written, quoted once.
std::string_view CanonicalWriter::quoted(std::vector<std::string>& known, std::uint32_t id, const RequestSource& source) {
  if (id >= known.size()) known.resize(id + 1);
  if (id != 0 && known[id].empty()) {
    known[id] = form_.container == CanonicalForm::Container::csv ? csv_text(source.name(id)) : json_text(source.name(id));
  }
  return known[id];
}

void CanonicalWriter::append_csv(const Request& r, const RequestSource& source) {
  const auto out = std::back_inserter(pending_);
  fmt::format_to(out, "{},{},{},{},{},", r.id, r.arrival.ps, r.input_tokens, r.output_tokens, quoted(names_, r.model, source));
  fmt::format_to(out, "{},", quoted(names_, r.request_class, source));
  if (r.session != 0) fmt::format_to(out, "{:016x}", r.session);
  pending_ += ',';
  if (r.parent) fmt::format_to(out, "{},{}", *r.parent, r.think_time.ps);
  else pending_ += ',';
  pending_ += ',';
  if (r.logged.first_token) fmt::format_to(out, "{}", r.logged.first_token->ps);
  pending_ += ',';
  if (r.logged.completion) fmt::format_to(out, "{}", r.logged.completion->ps);
  pending_ += ',';
  if (!r.block_hashes.empty()) {
    fmt::format_to(out, "{},", r.block_tokens);
    append_list(pending_, r.block_hashes, ' ');
  } else {
    pending_ += ',';
  }
  pending_ += ',';
  if (r.reasoning_tokens != 0) fmt::format_to(out, "{}", r.reasoning_tokens);
  pending_ += ',';
  if (r.acceptance) fmt::format_to(out, "{}", *r.acceptance);
  pending_ += ',';
  if (r.speech.ps != 0) fmt::format_to(out, "{}", r.speech.ps);
  pending_ += ',';
  pending_ += tools_text(r.tools, [&](std::uint32_t id) { return source.name(id); });
  pending_ += '\n';
}

void CanonicalWriter::append_json(const Request& r, const RequestSource& source) {
  const auto out = std::back_inserter(pending_);
  fmt::format_to(out, "{{\"id\":{},\"arrival_ps\":{},\"input_tokens\":{},\"output_tokens\":{}", r.id, r.arrival.ps, r.input_tokens, r.output_tokens);
  if (r.model != 0) fmt::format_to(out, ",\"model\":{}", quoted(names_, r.model, source));
  if (r.request_class != 0) fmt::format_to(out, ",\"class\":{}", quoted(names_, r.request_class, source));
  if (r.session != 0) fmt::format_to(out, ",\"session\":\"{:016x}\"", r.session);
  if (r.parent) fmt::format_to(out, ",\"parent\":{},\"think_time_ps\":{}", *r.parent, r.think_time.ps);
  if (r.logged.first_token) fmt::format_to(out, ",\"first_token_ps\":{}", r.logged.first_token->ps);
  if (r.logged.completion) fmt::format_to(out, ",\"completion_ps\":{}", r.logged.completion->ps);
  if (!r.block_hashes.empty()) {
    fmt::format_to(out, ",\"block_tokens\":{},\"block_hashes\":[", r.block_tokens);
    append_list(pending_, r.block_hashes, ',');
    pending_ += ']';
  }
  if (r.reasoning_tokens != 0) fmt::format_to(out, ",\"reasoning_tokens\":{}", r.reasoning_tokens);
  if (r.acceptance) fmt::format_to(out, ",\"acceptance\":{}", *r.acceptance);
  if (r.speech.ps != 0) fmt::format_to(out, ",\"speech_ps\":{}", r.speech.ps);
  if (!r.tools.empty()) fmt::format_to(out, ",\"tools\":\"{}\"", tools_text(r.tools, [&](std::uint32_t id) { return source.name(id); }));
  pending_ += "}\n";
}

void CanonicalWriter::write(const Request& request, const RequestSource& source) {
  if (form_.container == CanonicalForm::Container::csv) append_csv(request, source);
  else append_json(request, source);
  if (pending_.size() < piece_bytes) return;
  file_->write(pending_);
  pending_.clear();
}

void CanonicalWriter::finish() {
  file_->write(pending_);
  file_->finish();
}

std::uint64_t write_canonical(RequestSource& source, const std::string& path, CanonicalForm form) {
  CanonicalWriter writer(path, form);
  Request request;
  std::uint64_t count = 0;
  for (; source.next(request); ++count) writer.write(request, source);
  writer.finish();
  return count;
}

}  // namespace rackwright::traces
