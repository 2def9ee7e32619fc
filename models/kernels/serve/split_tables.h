#pragma once

#include "models/kernels/serve/serving_profile.h"
#include "models/kernels/serve/serving_tables.h"

namespace rackwright::kernels {

/// What one list of requests did over two sides.
struct SplitRun {
  ServedRun prompts;
  std::vector<double> landed_s;  ///< Of each request.
  ServedRun tokens;              ///< Of those of `decoded_of`; empty when nothing was decoded.
};

const char* name_of(KvPath path);

/// Families split, split_classes, split_steps, split_requests.
class SplitTables {
 public:
  void add(const NamedList& list, KvPath path, const SplitRun& run);
  void write(const std::filesystem::path& out, const ProfileHeader& header) const;

 private:
  ServingTables sides_{"split", {"run", "kv", "side"}};
  ProfileTable requests_ = ProfileTable::untimed("split_requests", {"run", "kv", "arrival_s", "input_tokens", "output_tokens", "admitted_s",
                                                                    "first_token_s", "landed_s", "decoded_from_s", "finish_s"});
};

}  // namespace rackwright::kernels
