#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "traces/statistics/trace_statistics.h"

namespace rackwright::traces {
namespace {

using Json = nlohmann::ordered_json;
using Shares = std::map<std::string, TraceStatistics::Share>;

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

std::string row(std::string_view what, const TokenHistogram& h) {
  return fmt::format("  {:<8}{:>10.1f}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>16}\n", what, h.mean(), h.min(), h.quantile(0.5), h.quantile(0.9),
                     h.quantile(0.95), h.quantile(0.99), h.max(), h.total());
}

std::string shares_text(std::string_view what, const Shares& shares) {
  if (shares.empty() || (shares.size() == 1 && shares.begin()->first.empty())) return {};
  constexpr std::size_t most = 20;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, part] : shares) {
    if (shown++ == most) return text + fmt::format("{} … {} in all\n", what, shares.size());
    text += fmt::format("{} {}: {} requests, {} input and {} output tokens\n", what, name.empty() ? "(none)" : name, part.requests,
                        part.input_tokens, part.output_tokens);
  }
  return text;
}

std::string histogram_text(const TraceStatistics& s) {
  std::string text = "tokens              input    output\n";
  std::map<std::int32_t, std::pair<std::uint64_t, std::uint64_t>> rows;
  std::map<std::int32_t, std::int32_t> ends;
  for (const TokenHistogram::Bin& bin : s.input.bins()) rows[bin.from].first = bin.count, ends[bin.from] = bin.to;
  for (const TokenHistogram::Bin& bin : s.output.bins()) rows[bin.from].second = bin.count, ends[bin.from] = bin.to;
  for (const auto& [from, counts] : rows) {
    text += fmt::format("  {:<14}{:>9}{:>10}\n", from == ends[from] ? fmt::format("{}", from) : fmt::format("{}-{}", from, ends[from]),
                        counts.first, counts.second);
  }
  return text;
}

Json lengths(const TokenHistogram& h) {
  Json bins = Json::array();
  for (const TokenHistogram::Bin& bin : h.bins()) bins.push_back({{"from", bin.from}, {"to", bin.to}, {"requests", bin.count}});
  return {{"mean", h.mean()}, {"min", h.min()}, {"p50", h.quantile(0.5)}, {"p90", h.quantile(0.9)}, {"p95", h.quantile(0.95)},
          {"p99", h.quantile(0.99)}, {"max", h.max()}, {"total", h.total()}, {"histogram", bins}};
}

Json shares_json(const Shares& shares) {
  Json object = Json::object();
  for (const auto& [name, part] : shares) {
    object[name] = {{"requests", part.requests}, {"input_tokens", part.input_tokens}, {"output_tokens", part.output_tokens}};
  }
  return object;
}

}  // namespace

std::string to_text(const TraceStatistics& s) {
  const ArrivalStatistics& a = s.arrivals;
  std::string text = fmt::format("{} requests over {:.3f} s, {:.3f} /s\n", a.count(), a.span().seconds(), a.rate_per_s());
  text += fmt::format("arrivals: dispersion in 1 s bins {:.2f} (Poisson 1), interarrival CV {:.2f}, peak {} in 1 s, longest gap {:.1f} s,\n"
                      "          {} of {} seconds empty, {} ties, {} duplicates\n",
                      a.dispersion_1s(), a.interarrival_cv(), a.peak_1s(), a.longest_gap().seconds(), a.empty_bins(), a.bins(), a.ties(),
                      s.duplicates);
  text += "tokens        mean      min      p50      p90      p95      p99      max           total\n";
  text += row("input", s.input) + row("output", s.output) + histogram_text(s);
  if (const PrefixStatistics& p = s.prefix; p.requests() > 0) {
    text += fmt::format("prefix blocks: {} in {} requests, {} distinct; an unlimited cache hits {:.1f} % of blocks, {:.1f} % of tokens;\n"
                        "               {} requests hit something, {} everything\n",
                        p.blocks(), p.requests(), p.distinct_blocks(), 100 * share(p.hit_blocks(), p.blocks()),
                        100 * share(p.hit_tokens(), p.tokens()), p.requests_with_hit(), p.requests_fully_hit());
  }
  if (s.with_session > 0) text += fmt::format("{} requests in sessions, {} with a parent\n", s.with_session, s.with_parent);
  if (s.with_first_token + s.with_completion > 0) {
    text += fmt::format("logged times: {} first tokens, {} completions\n", s.with_first_token, s.with_completion);
  }
  return text + shares_text("model", s.models) + shares_text("class", s.classes);
}

std::string to_json(const TraceStatistics& s) {
  const ArrivalStatistics& a = s.arrivals;
  const PrefixStatistics& p = s.prefix;
  const Json json{
      {"requests", a.count()},
      {"span_s", a.span().seconds()},
      {"rate_per_s", a.rate_per_s()},
      {"arrivals",
       {{"dispersion_1s", a.dispersion_1s()}, {"interarrival_cv", a.interarrival_cv()}, {"peak_1s", a.peak_1s()},
        {"longest_gap_s", a.longest_gap().seconds()}, {"seconds", a.bins()}, {"empty_seconds", a.empty_bins()}, {"ties", a.ties()}}},
      {"duplicates", s.duplicates},
      {"input_tokens", lengths(s.input)},
      {"output_tokens", lengths(s.output)},
      {"prefix",
       {{"requests", p.requests()}, {"requests_with_hit", p.requests_with_hit()}, {"requests_fully_hit", p.requests_fully_hit()},
        {"blocks", p.blocks()}, {"distinct_blocks", p.distinct_blocks()}, {"hit_blocks", p.hit_blocks()},
        {"block_hit_rate", share(p.hit_blocks(), p.blocks())}, {"token_hit_rate", share(p.hit_tokens(), p.tokens())}}},
      {"with_session", s.with_session},
      {"with_parent", s.with_parent},
      {"logged", {{"first_token", s.with_first_token}, {"completion", s.with_completion}}},
      {"models", shares_json(s.models)},
      {"classes", shares_json(s.classes)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rackwright::traces
