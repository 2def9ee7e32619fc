#include "sim/serving/admission.h"

#include "sim/serving/instance.h"

namespace rackwright::serving {

bool Admission::admits(Instance& instance, const Sequence& sequence) const {
  if (max_waiting > 0 && instance.waiting() >= max_waiting) return false;
  if (deadline == DeadlineRule::ignore || sequence.deadline == SimTime::max()) return true;
  return instance.estimated_first_token(sequence) <= sequence.deadline;
}

}  // namespace rackwright::serving
