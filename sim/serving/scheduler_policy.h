#pragma once

#include <cstdint>
#include <limits>

#include "sim/metrics/run_observer.h"
#include "sim/serving/sequence.h"

namespace rackwright::serving {

class Scheduler;

/// Decides, at a step boundary, what the next engine step computes. Stateless: what changes lives in the
/// `Scheduler`, so that one policy object serves every instance of a pool.
///
/// Contract. `plan` starts from the scheduler's present state with every decoding sequence due for one token,
/// and changes that with the scheduler's operations (admit, prefill, preempt, hold, …). It depends on nothing
/// else, and planning again one step later, when nothing but the age of the decode group has changed, must plan
/// the same step; where that does not hold it calls `Scheduler::plan_again_after`. Jumping rests on this.
class SchedulerPolicy {
 public:
  virtual ~SchedulerPolicy() = default;

  virtual void plan(Scheduler& scheduler) const = 0;

  /// Order in the queue: the smaller first, ties by arrival at the instance. A preempted sequence keeps its place.
  virtual std::int64_t queue_key(const Sequence&) const { return 0; }

  /// Whether the sequence that has just been queued could be admitted before another one leaves. True is always
  /// safe; false spares the end of a jump.
  virtual bool may_admit(const Scheduler&, SequenceId) const { return true; }

  /// Sequences that may run at once.
  virtual std::int32_t max_running() const = 0;

  /// KV tokens for which blocks are taken when a sequence comes with its prompt computed elsewhere: its own, or all
  /// that it will have, for a policy that never preempts.
  virtual std::int64_t tokens_to_receive(const Sequence& sequence) const { return sequence.computed; }

  /// Whether a sequence whose prompt was computed elsewhere gets its blocks when it is expected, if they are free, and not at
  /// the next boundary only.
  virtual bool receives_at_once() const { return false; }

  /// Whether a sequence whose prompt was computed elsewhere may come while others run.
  virtual bool receives_while_running() const { return true; }

  /// Free blocks that KV from lower tiers may take when a request is to be admitted, for a policy that has promised some.
  virtual std::int64_t unpromised_blocks(const Scheduler&) const { return std::numeric_limits<std::int64_t>::max(); }

  /// Why even an empty instance could not carry the request to its end under this policy: `kv_too_small`,
  /// `context_too_long`, or `none` when it can. Such a request is turned away on arrival; it would wait for ever.
  virtual metrics::Cause refuse(const Scheduler& scheduler, const Sequence& sequence) const = 0;
};

}  // namespace rackwright::serving
