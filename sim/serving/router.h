#pragma once

#include <cstdint>

#include "sim/serving/sequence.h"

namespace rackwright::serving {

/// The instances that may serve a request, as a router sees them. Reading settles an instance to the present.
class RoutingView {
 public:
  virtual ~RoutingView() = default;
  virtual std::uint32_t size() const = 0;
  /// Requests routed so far, over all instances.
  virtual std::uint64_t routed() const = 0;
  /// Requests queued or running at an instance.
  virtual int outstanding(std::uint32_t instance) const = 0;
  /// Requests queued at an instance.
  virtual int waiting(std::uint32_t instance) const = 0;
  /// The instance with the fewest outstanding requests, the first of those in order; found without looking at each.
  virtual std::uint32_t least_outstanding() const = 0;
  /// Fraction of its KV blocks in use, in [0, 1].
  virtual double kv_used(std::uint32_t instance) const = 0;
  /// Tokens of the request's prompt that are cached at the instance.
  virtual std::int64_t cached_tokens(std::uint32_t instance, const Sequence& request) const = 0;
  /// When the request would have its first token there, by the prompt tokens before it.
  virtual SimTime estimated_first_token(std::uint32_t instance, const Sequence& request) const = 0;
  /// Relative cost of a request there.
  virtual double cost_weight(std::uint32_t instance) const = 0;
};

/// Chooses the instance that serves a request. Stateless: what it depends on is in the view, and random choices are
/// keyed by the request.
class Router {
 public:
  virtual ~Router() = default;
  /// An index below `view.size()`, which is at least 1.
  virtual std::uint32_t choose(const Sequence& request, const RoutingView& view) const = 0;
};

}  // namespace rackwright::serving
