#include "models/kernels/serve/request_list.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>

#include "models/base/invariant.h"

namespace rackwright::kernels {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, int line, const char* what) {
  throw EnvironmentError(fmt::format("{}:{}: {}", file.string(), line, what));
}

ServedRequest request_in(const std::string& text, const std::filesystem::path& file, int line) {
  std::istringstream fields(text);
  ServedRequest request;
  char first = 0, second = 0;
  fields >> request.arrival_s >> first >> request.input_tokens >> second >> request.output_tokens;
  if (!fields || first != ',' || second != ',' || !(fields >> std::ws).eof()) refuse(file, line, "expected a time and two token counts");
  if (request.input_tokens < 1 || request.output_tokens < 1) refuse(file, line, "a request needs a token of input and of output");
  if (request.input_tokens > most_sequence_tokens - request.output_tokens) refuse(file, line, "longer than the KV memory of one sequence");
  return request;
}

}  // namespace

std::vector<ServedRequest> read_request_list(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;
  if (!std::getline(in, text)) refuse(file, 1, "cannot be read, or is empty");
  if (text != "arrival_s,input_tokens,output_tokens") refuse(file, 1, "expected the columns arrival_s,input_tokens,output_tokens");
  std::vector<ServedRequest> requests;
  for (int line = 2; std::getline(in, text); ++line) {
    requests.push_back(request_in(text, file, line));
    if (requests.size() > 1 && requests.back().arrival_s < requests[requests.size() - 2].arrival_s) refuse(file, line, "arrives before the request above it");
  }
  if (requests.empty()) refuse(file, 2, "no request");
  return requests;
}

}  // namespace rackwright::kernels
