#include "scenarios/results/summary_json.h"

#include <type_traits>

#include "scenarios/results/json_visitors.h"
#include "scenarios/results/run_stream.h"

namespace rackwright::results {
namespace {

constexpr std::array<const char*, 3> status_names{"complete", "cancelled", "stalled"};

/// One list of keys for both ways.
template <class Visitor, class Statistics>
void visit_statistics(Visitor& v, Statistics& s) {
  v.field("count", s.count);
  v.field("mean", s.mean);
  v.field("p50", s.p50);
  v.field("p90", s.p90);
  v.field("p95", s.p95);
  v.field("p99", s.p99);
  v.field("max", s.max);
  v.field("exact", s.exact);
}

constexpr auto statistics = [](auto& v, auto& s) { visit_statistics(v, s); };

template <class Visitor, class Shares, std::size_t N>
void visit_shares(Visitor& v, Shares& shares, const std::array<const char*, N>& names) {
  for (std::size_t i = 0; i < N; ++i) v.field(names[i], shares[i]);
}

constexpr auto bound_shares = [](auto& v, auto& b) { visit_shares(v, b, bound_names); };

constexpr auto decode_batch = [](auto& v, auto& b) {
  v.field("sequences", b.sequences);
  v.field("steps", b.steps);
  v.field("tokens", b.tokens);
  v.field("busy_s", b.busy_s);
  v.part("bound", b.bound, bound_shares);
};

constexpr auto pool = [](auto& v, auto& p) {
  v.field("utilization", p.utilization);
  v.field("busy_s", p.busy_s);
  v.field("steps", p.steps);
  v.field("mean_batch", p.mean_batch);
  v.field("tokens_per_decode", p.tokens_per_decode);
  v.field("kv_peak_fraction", p.kv_peak_fraction);
  v.field("preemptions", p.preemptions);
  v.field("mean_replicas", p.mean_replicas);
  v.field("energy_j", p.energy_j);
  v.part("clock", p.clock, [](auto& in, auto& c) {
    in.field("throttled_s", c.throttled_s);
    in.field("mean_fraction", c.mean_clock);
  });
  if (has_any(v, p.decode_batches)) v.by_name("decode_batches", p.decode_batches, decode_batch);
};

constexpr auto station = [](auto& v, auto& s) {
  v.field("device", s.device);
  v.field("workers", s.workers);
  v.field("jobs", s.jobs);
  v.field("busy_s", s.busy_s);
  v.field("utilization", s.utilization);
  v.part("wait_s", s.wait_s, statistics);
  v.part("job_s", s.job_s, statistics);
  v.field("peak_memory_fraction", s.peak_memory_fraction);
  v.field("energy_j", s.energy_j);
};

constexpr auto chains = [](auto& v, auto& c) {
  v.field("chains", c.chains);
  v.field("calls", c.calls);
  v.part("e2e_s", c.e2e_s, statistics);
  v.field("model_s", c.model_s);
  v.field("model_queue_s", c.model_queue_s);
  v.field("tool_s", c.tool_s);
  v.field("tool_wait_s", c.tool_wait_s);
  v.field("other_s", c.other_s);
};

constexpr auto voice = [](auto& v, auto& t) {
  v.field("turns", t.turns);
  v.part("first_audio_s", t.first_audio_s, statistics);
  v.field("network_s", t.network_s);
  v.field("recognition_s", t.recognition_s);
  v.field("model_s", t.model_s);
  v.field("synthesis_s", t.synthesis_s);
  v.part("longest_gap_s", t.longest_gap_s, statistics);
};

constexpr auto rate_match = [](auto& v, auto& m) {
  v.field("prefill_requests_per_s", m.prefill_requests_per_s);
  v.field("decode_requests_per_s", m.decode_requests_per_s);
  v.field("sends_bytes_per_s", m.sends_bytes_per_s);
  v.field("receives_bytes_per_s", m.receives_bytes_per_s);
  v.field("kv_bytes_per_request", m.kv_bytes_per_request);
};

constexpr auto layer_sides = [](auto& v, auto& l) {
  v.field("sequences", l.sequences);
  v.field("micro_batches", l.micro_batches);
  v.field("attention_s", l.attention_s);
  v.field("feed_forward_s", l.feed_forward_s);
  v.field("send_s", l.send_s);
  v.field("return_s", l.return_s);
};

constexpr auto exposed = [](auto& v, auto& e) {
  v.field("exposed_s", e.exposed_s);
  v.field("share_of_busy", e.share_of_busy);
};

constexpr auto logged_latency = [](auto& v, auto& l) {
  v.field("requests", l.requests);
  v.part("simulated_s", l.simulated, statistics);
  v.part("logged_s", l.logged, statistics);
  v.field("mean_error_s", l.mean_error_s);
  v.part("absolute_error_s", l.absolute_error, statistics);
};

/// The parts of the file that are alike both ways; lists of objects are handled beside it.
template <class Visitor, class Summary>
void visit_summary(Visitor& v, Summary& s) {
  v.part("requests", s.requests, [](auto& in, auto& r) {
    in.field("total", r.total);
    in.field("completed", r.completed);
    in.field("rejected", r.rejected);
    in.field("failed", r.failed);
    in.field("cancelled", r.cancelled);
    in.field("in_flight", r.in_flight);
  });
  v.field("duration_s", s.duration_s);
  v.part("window", s.window, [](auto& in, auto& w) {
    in.field("from_s", w.from_s);
    in.field("to_s", w.to_s);
    in.field("requests", w.requests);
  });
  v.part("ttft_s", s.ttft_s, statistics);
  v.part("tpot_s", s.tpot_s, statistics);
  v.part("itl_s", s.itl_s, statistics);
  v.part("e2e_s", s.e2e_s, statistics);
  v.part("queue_s", s.queue_s, statistics);
  v.part("first_visible_s", s.first_visible_s, statistics);
  v.part("throughput", s, [](auto& in, auto& t) {
    in.field("requests_per_s", t.requests_per_s);
    in.field("input_tokens_per_s", t.input_tokens_per_s);
    in.field("output_tokens_per_s", t.output_tokens_per_s);
  });
  v.part("slo", s.slo, [](auto& in, auto& o) {
    in.field("attainment", o.attainment);
    in.field("goodput_requests_per_s", o.goodput_requests_per_s);
  });
  v.by_name("pools", s.pools, pool);
  if (has_any(v, s.stations)) v.by_name("stations", s.stations, station);
  v.part("chains", s.chains, chains);
  v.part("voice", s.voice, voice);
  v.part("prefix_cache", s.prefix_cache, [](auto& in, auto& c) {
    in.field("hit_tokens", c.hit_tokens);
    in.field("lookup_tokens", c.lookup_tokens);
    if (has_any(in, c.tiers)) {
      in.by_name("tiers", c.tiers, [](auto& tier, auto& t) {
        tier.field("loaded_tokens", t.loaded_tokens);
        tier.field("written_tokens", t.written_tokens);
        tier.field("loading_s", t.loading_s);
      });
    }
  });
  if (!s.rate_match.empty() || std::is_same_v<Visitor, JsonReader>) v.by_name("rate_match", s.rate_match, rate_match);
  if (has_any(v, s.layer_sides)) v.by_name("layer_sides", s.layer_sides, layer_sides);
  v.part("network", s.network, [](auto& in, auto& n) {
    in.field("bytes", n.bytes);
    in.field("exposed_s", n.exposed_s);
    in.field("share_of_busy", n.share_of_busy);
    in.part("kv_transfers", n.kv, [](auto& kv, auto& k) {
      kv.field("requests", k.requests);
      kv.part("exposed_s", k.exposed_s, statistics);
    });
    in.by_name("links", n.links, [](auto& link, auto& l) {
      link.field("bytes", l.bytes);
      link.field("mean_utilization", l.mean_utilization);
    });
    if (has_any(in, n.pools)) {
      in.by_name("pools", n.pools, [](auto& by_phase, auto& p) {
        exposed(by_phase, p.all);
        by_phase.part("prefill", p.prefill, exposed);
        by_phase.part("decode", p.decode, exposed);
      });
    }
  });
  v.part("energy", s.it, [](auto& in, auto& e) {
    in.field("it_j", e.energy_j);
    in.field("per_output_token_j", e.per_output_token_j);
    in.field("per_request_j", e.per_request_j);
  });
  v.part("power", s.it, [](auto& in, auto& p) {
    in.field("it_mean_w", p.mean_w);
    in.field("it_peak_w", p.peak_w);
    in.by_name("racks", p.racks, [](auto& rack, auto& r) {
      rack.field("mean_w", r.mean_w);
      rack.field("peak_w", r.peak_w);
      rack.field("budget_w", r.budget_w);
      rack.field("density_w_per_u", r.density_w_per_u);
    });
  });
  v.part("quality", s.quality, [](auto& in, auto& q) {
    in.field("mean", q.mean);
    in.field("per_w", q.per_w);
    in.field("per_j", q.per_j);
  });
  v.part("provenance", s.provenance, [](auto& in, auto& p) { visit_shares(in, p, provenance_names); });
  v.part("bound", s.bound, bound_shares);
}

Json objectives_json(const std::vector<Objective>& objectives) {
  Json list = Json::array();
  for (const Objective& objective : objectives) {
    Json item = {{"class", objective.request_class},
                 {"metric", to_string(objective.target.metric)},
                 {"quantile", objective.target.quantile},
                 {"limit_s", objective.target.limit.seconds()}};
    if (objective.value_s) item["value_s"] = *objective.value_s;
    item["met"] = objective.met;
    list.push_back(std::move(item));
  }
  return list;
}

std::vector<Objective> parse_objectives(const Json& list) {
  std::vector<Objective> objectives;
  for (const Json& item : list) {
    Objective& objective = objectives.emplace_back();
    const JsonReader in(item);
    std::string metric;
    double limit_s = 0;
    in.field("class", objective.request_class);
    in.field("metric", metric);
    in.field("quantile", objective.target.quantile);
    in.field("limit_s", limit_s);
    in.field("value_s", objective.value_s);
    in.field("met", objective.met);
    objective.target.limit = sim_time(limit_s);
    for (const auto known : {LatencyMetric::ttft, LatencyMetric::tpot, LatencyMetric::e2e, LatencyMetric::queue,
                             LatencyMetric::longest_gap, LatencyMetric::first_audio, LatencyMetric::first_visible}) {
      if (to_string(known) == metric) objective.target.metric = known;
    }
  }
  return objectives;
}

}  // namespace

std::string to_json(const RunSummary& summary) {
  Json json = Json::object();
  json["status"] = status_names[static_cast<std::size_t>(summary.status)];
  if (!summary.status_reason.empty()) json["status_reason"] = summary.status_reason;
  JsonWriter writer(json);
  visit_summary(writer, summary);
  if (summary.slo) json["slo"]["objectives"] = objectives_json(summary.slo->objectives);
  if (summary.logged_ttft || summary.logged_e2e) {
    JsonWriter logged(json["logged"] = Json::object());
    logged.part("ttft", summary.logged_ttft, logged_latency);
    logged.part("e2e", summary.logged_e2e, logged_latency);
  }
  for (const RateMatch& match : summary.rate_match) json["rate_match"][match.name]["binds"] = match.binds();
  for (const LayerSides& sides : summary.layer_sides) json["layer_sides"][sides.name]["binds"] = sides.binds();
  if (summary.chains) json["chains"]["binds"] = summary.chains->binds();
  json["warnings"] = summary.warnings;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunSummary parse_summary(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw DamagedStream("the summary is not JSON");
  RunSummary summary;
  const JsonReader reader(json);
  std::string status;
  reader.field("status", status);
  for (std::size_t i = 0; i < status_names.size(); ++i) {
    if (status == status_names[i]) summary.status = static_cast<RunStatus>(i);
  }
  reader.field("status_reason", summary.status_reason);
  visit_summary(reader, summary);
  if (summary.slo && json.at("slo").contains("objectives")) {
    summary.slo->objectives = parse_objectives(json.at("slo").at("objectives"));
  }
  if (json.contains("logged")) {
    const JsonReader logged(json.at("logged"));
    logged.part("ttft", summary.logged_ttft, logged_latency);
    logged.part("e2e", summary.logged_e2e, logged_latency);
  }
  reader.field("warnings", summary.warnings);
  return summary;
}

}  // namespace rackwright::results
