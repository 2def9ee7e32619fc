#pragma once

#include <string>

namespace rackwright::scenarios {

/// Which instance a request goes to.
struct RoutingSpec {
  std::string policy;  ///< As written: "least-outstanding".
  std::string decode;  ///< Among instances that only decode; as `policy` unless given.
  double match_threshold = 0;
  int imbalance_requests = 0;
  double imbalance_ratio = 0;
};

/// Whom an instance turns away.
struct AdmissionSpec {
  int max_waiting = 0;  ///< 0: no limit.
  bool within_ttft = false;
  std::string decode_load = "ignored";  ///< As written.
};

}  // namespace rackwright::scenarios
