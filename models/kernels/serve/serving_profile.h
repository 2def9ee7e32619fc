#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/kernels/serve/serving_run.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

/// Who does what.
enum class ServingSplit {
  together,  ///< One GPU does prompts and tokens.
  prompts,   ///< One GPU does prompts alone.
  halves,    ///< One GPU does all prompts, and then all tokens, each from when its prompt's keys and values had landed.
  pair,      ///< GPU 0 does prompts and GPU 1 tokens, at the same time.
};

/// How keys and values leave the side of the prompts.
enum class KvPath {
  nowhere,  ///< Not at all.
  device,   ///< Layer by layer, to other memory of the same GPU.
  host,     ///< Layer by layer, to the host.
  peer,     ///< Layer by layer, to the GPU that decodes. Of a pair.
  in_turn,  ///< As 64 copies after the prompt, which wait for both GPUs and hold up the next prompt. Of a pair.
  waits,    ///< Not at all, but the prompts are held up as if by 64 copies that each wait for a while.
};

struct ServingOptions {
  std::vector<std::string> requests;  ///< Files of requests, a run each.
  double seconds = 0;                 ///< Leave out what arrives later; 0: nothing.
  double warm_up_s = 5;
  ServingSplit split = ServingSplit::together;
  std::vector<KvPath> kv = {KvPath::nowhere};  ///< Of what is split: each list once for each of them.
  double wait_per_copy_s = 2e-3;
};

/// A list of requests and the name of its run.
struct NamedList {
  std::string name;
  std::vector<ServedRequest> requests;
};

/// Those of the options. Throws EnvironmentError when one cannot be read.
std::vector<NamedList> request_lists(const ServingOptions& options);

/// Holds the engine against `check_serving` and writes the family serve_check.
void write_serving_check(ServingEngine& engine, std::uint64_t seed, const std::filesystem::path& out, const ProfileHeader& header);

/// Says on stdout how a run went.
void print_run(const std::string& name, const ServedRun& run);

/// Serves each list on one GPU and writes its tables into `out` (families serve, serve_check, serve_classes, serve_requests, serve_steps).
void profile_serving(ProfileSession& session, const ServingOptions& options, const std::filesystem::path& out, const ProfileHeader& header);

}  // namespace rackwright::kernels
