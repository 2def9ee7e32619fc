#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/kernels/serve/serving_run.h"
#include "models/kernels/table/profile_table.h"

namespace rackwright::kernels {

using Fields = std::vector<std::string>;

std::string whole(long long value);
/// Six decimals; empty when negative.
std::string moment(double seconds);

/// What served runs did: FAMILY (a row a run), FAMILY_classes and FAMILY_steps. Columns after `keys`, which name a run: FORMAT.md.
class ServingTables {
 public:
  ServingTables(const std::string& family, Fields keys);

  void add(const Fields& keys, const std::vector<ServedRequest>& requests, const ServedRun& run);
  void write(const std::filesystem::path& out, const ProfileHeader& header) const;

 private:
  void add_run(const Fields& keys, const std::vector<ServedRequest>& requests, const ServedRun& run);
  void add_classes(const Fields& keys, const ServedRun& run);
  void add_steps(const Fields& keys, const ServedRun& run);

  ProfileTable runs_, classes_, steps_;
};

}  // namespace rackwright::kernels
