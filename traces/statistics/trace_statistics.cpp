#include "traces/statistics/trace_statistics.h"

#include <array>
#include <unordered_set>
#include <vector>

#include "models/base/hash.h"

namespace rackwright::traces {
namespace {

std::uint64_t fingerprint(const Request& request) {
  const auto time = [](const std::optional<SimTime>& t) { return static_cast<std::uint64_t>(t ? t->ps : -1); };
  const std::array<std::uint64_t, 6> words{
      (static_cast<std::uint64_t>(request.input_tokens) << 32) | static_cast<std::uint64_t>(request.output_tokens),
      (std::uint64_t{request.model} << 32) | request.request_class, request.session, request.parent.value_or(~std::uint64_t{0}),
      time(request.logged.first_token), time(request.logged.completion)};
  const std::uint64_t head = hash64({reinterpret_cast<const char*>(words.data()), sizeof words});
  return hash64({reinterpret_cast<const char*>(request.block_hashes.data()), request.block_hashes.size() * sizeof(std::uint64_t)}, head);
}

void add(TraceStatistics::Share& share, const Request& request) {
  ++share.requests;
  share.input_tokens += static_cast<std::uint64_t>(request.input_tokens);
  share.output_tokens += static_cast<std::uint64_t>(request.output_tokens);
}

/// Shares by the number of a name, until all requests are seen.
void add(std::vector<TraceStatistics::Share>& shares, std::uint32_t id, const Request& request) {
  if (id >= shares.size()) shares.resize(id + 1);
  add(shares[id], request);
}

std::map<std::string, TraceStatistics::Share> by_name(const std::vector<TraceStatistics::Share>& shares, const RequestSource& source) {
  std::map<std::string, TraceStatistics::Share> named;
  for (std::size_t id = 0; id < shares.size(); ++id) {
    if (shares[id].requests > 0) named.emplace(source.name(static_cast<std::uint32_t>(id)), shares[id]);
  }
  return named;
}

}  // namespace

TraceStatistics inspect(RequestSource& source) {
  TraceStatistics s;
  std::vector<TraceStatistics::Share> models;
  std::vector<TraceStatistics::Share> classes;
  std::unordered_set<std::uint64_t> at_this_instant;
  Request request;
  while (source.next(request)) {
    if (s.arrivals.count() > 0 && request.arrival != s.arrivals.last()) at_this_instant.clear();
    if (!at_this_instant.insert(fingerprint(request)).second) ++s.duplicates;
    s.arrivals.add(request.arrival);
    s.input.add(request.input_tokens);
    s.output.add(request.output_tokens);
    s.prefix.add(request);
    s.with_parent += request.parent ? 1 : 0;
    s.with_session += request.session != 0 ? 1 : 0;
    s.with_first_token += request.logged.first_token ? 1 : 0;
    s.with_completion += request.logged.completion ? 1 : 0;
    add(models, request.model, request);
    add(classes, request.request_class, request);
  }
  s.models = by_name(models, source);
  s.classes = by_name(classes, source);
  return s;
}

}  // namespace rackwright::traces
