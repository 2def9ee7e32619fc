#include "models/kernels/serve/split_tables.h"

#include "models/kernels/serve/split_lists.h"

namespace rackwright::kernels {

const char* name_of(KvPath path) {
  switch (path) {
    case KvPath::nowhere: return "nowhere";
    case KvPath::device: return "device";
    case KvPath::host: return "host";
    case KvPath::peer: return "peer";
    case KvPath::in_turn: return "in_turn";
    case KvPath::waits: return "waits";
  }
  return "";
}

void SplitTables::add(const NamedList& list, KvPath path, const SplitRun& run) {
  sides_.add({list.name, name_of(path), "prompts"}, prompts_of(list.requests), run.prompts);
  std::vector<ServedTimes> tokens(list.requests.size());
  if (!run.tokens.times.empty()) {
    sides_.add({list.name, name_of(path), "tokens"}, tokens_of(list.requests, run.landed_s), run.tokens);
    const std::vector<std::size_t> decoded = decoded_of(list.requests);
    for (std::size_t i = 0; i < decoded.size(); ++i) tokens[decoded[i]] = run.tokens.times[i];
  }
  for (std::size_t i = 0; i < list.requests.size(); ++i) {
    const ServedRequest& request = list.requests[i];
    const ServedTimes& prompt = run.prompts.times[i];
    const double finish_s = request.output_tokens == 1 ? prompt.first_token_s : tokens[i].finish_s;
    requests_.add_raw({list.name, name_of(path), moment(request.arrival_s), whole(request.input_tokens), whole(request.output_tokens),
                       moment(prompt.admitted_s), moment(prompt.first_token_s), moment(run.landed_s[i]), moment(tokens[i].admitted_s), moment(finish_s)});
  }
}

void SplitTables::write(const std::filesystem::path& out, const ProfileHeader& header) const {
  sides_.write(out, header);
  requests_.write(out, header);
}

}  // namespace rackwright::kernels
