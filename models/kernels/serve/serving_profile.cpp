#include "models/kernels/serve/serving_profile.h"

#include <algorithm>
#include <cstdio>

#include "models/kernels/serve/request_list.h"
#include "models/kernels/serve/serving_check.h"
#include "models/kernels/serve/serving_tables.h"

namespace rackwright::kernels {

std::vector<NamedList> request_lists(const ServingOptions& options) {
  std::vector<NamedList> lists;
  for (const std::string& file : options.requests) {
    NamedList list{std::filesystem::path(file).stem().string(), read_request_list(file)};
    if (options.seconds > 0) std::erase_if(list.requests, [&](const ServedRequest& request) { return request.arrival_s > options.seconds; });
    lists.push_back(std::move(list));
  }
  return lists;
}

void write_serving_check(ServingEngine& engine, std::uint64_t seed, const std::filesystem::path& out, const ProfileHeader& header) {
  ProfileTable table = ProfileTable::untimed("serve_check", {"check", "error", "least", "most"});
  for (const ServingCheckRow& row : check_serving(engine, seed)) {
    table.add_raw({row.name, number(row.error), number(row.least), row.most ? number(*row.most) : std::string()});
    std::printf("check: %-85s %.2g\n", row.name.c_str(), row.error);
  }
  table.write(out, header);
  std::fflush(stdout);
}

void print_run(const std::string& name, const ServedRun& run) {
  std::printf("%-24s %5zu requests %6zu steps %7.2f s %7.0f J %5.0f W %5.0f MHz, %.0f W before\n", name.c_str(), run.times.size(), run.steps.size(), run.duration_s,
              run.energy_j, run.energy_j / run.duration_s, run.sm_mhz, run.warm_up_w);
  std::fflush(stdout);
}

void profile_serving(ProfileSession& session, const ServingOptions& options, const std::filesystem::path& out, const ProfileHeader& header) {
  const std::vector<NamedList> lists = request_lists(options);
  const ArenaScope scope(session.arena);
  ServingEngine engine(session, session.seed);
  write_serving_check(engine, session.seed, out, header);
  ServingTables tables("serve", {"run"});
  ProfileTable requests = ProfileTable::untimed(
      "serve_requests", {"run", "arrival_s", "input_tokens", "output_tokens", "admitted_s", "first_token_s", "finish_s"});
  RunHooks nothing;
  for (const NamedList& list : lists) {
    const double warm_up_w = warm_up(engine, session.nvml, options.warm_up_s);
    BatchScheduler scheduler(list.requests);
    ServedRun run = serve(engine, session, scheduler, RunClock(), nothing);
    run.warm_up_w = warm_up_w;
    tables.add({list.name}, list.requests, run);
    for (std::size_t i = 0; i < list.requests.size(); ++i) {
      const ServedRequest& request = list.requests[i];
      const ServedTimes& times = run.times[i];
      requests.add_raw({list.name, moment(request.arrival_s), whole(request.input_tokens), whole(request.output_tokens), moment(times.admitted_s),
                        moment(times.first_token_s), moment(times.finish_s)});
    }
    tables.write(out, header);
    requests.write(out, header);
    print_run(list.name, run);
  }
}

}  // namespace rackwright::kernels
