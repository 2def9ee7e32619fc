#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/generators/agent_chains.h"
#include "traces/generators/quantile_table.h"
#include "traces/records/request.h"

namespace rackwright {
class Diagnostics;
}

namespace rackwright::traces {

/// How requests arrive at a mean rate.
struct ArrivalSpec {
  enum class Kind {
    constant,  ///< Evenly spaced.
    poisson,
    gamma,     ///< Independent gamma-distributed gaps of coefficient of variation `cv`.
    weibull,   ///< The same with Weibull-distributed gaps.
    on_off,    ///< Bursts with gamma-distributed lengths and gamma-distributed gaps inside, and silence between.
  };
  /// Lengths in real time: another rate changes how dense the bursts are, not how long.
  struct Bursts {
    double on_s = 0;     ///< Mean length of a burst, and its coefficient of variation.
    double on_cv = 1;
    double off_s = 0;    ///< The same of the silence between two.
    double off_cv = 1;
    double gap_cv = 1;   ///< Coefficient of variation of the gaps inside a burst.
  };

  Kind kind = Kind::poisson;
  double rate_per_s = 1;  ///< Over all time, silence included.
  double cv = 1;          ///< Of gamma and Weibull gaps.
  Bursts bursts;
};

/// A load that rises and falls: the rate in slots of equal length, over and over, as factors of the mean rate.
/// Time runs faster where the load is higher, so bursts keep their shape relative to it.
struct RateProfile {
  double slot_s = 0;
  std::vector<double> factors;  ///< At least 0, not all 0; only their proportions count. Empty: a steady load.
};

/// A day of 96 slots that follows a cosine: 1 + depth · cos(2π (t − peak) / 24 h), depth in [0, 1).
RateProfile diurnal_profile(double depth, double peak_hour);

/// Prompts that share their beginnings as conversations do.
///
/// A request continues an earlier one (its prompt is the earlier prompt, the earlier answer and new text), or shares
/// only the first blocks with one, or starts afresh. Which one it refers to is drawn by distance in requests and, when
/// it continues, by length; a prompt is continued once. Blocks that hold nothing but the earlier prompt keep their
/// hashes; all prompts share `head_blocks`. Not modelled: pauses in seconds (another rate changes them), and long
/// conversations being more likely to go on.
struct ConversationSpec {
  std::int32_t block_tokens = 0;
  std::int32_t head_blocks = 0;
  double continue_share = 0;
  double fork_share = 0;
  QuantileTable continued_input;  ///< Length of a continued prompt,
  QuantileTable growth;           ///< its tokens beyond the earlier prompt and answer (may be negative),
  QuantileTable distance;         ///< and how many requests back the earlier one is.
  QuantileTable fork_input;       ///< Length of a prompt that shares a beginning,
  QuantileTable fork_blocks;      ///< how many blocks it shares,
  QuantileTable fork_distance;    ///< and how far back.
};

struct GeneratorSpec {
  std::string name;    ///< Keys the random streams, and stands for the workload in lists.
  std::string title;   ///< One line for people.
  std::string source;  ///< Where the figures come from and how sure they are.
  ArrivalSpec arrivals;
  RateProfile profile;
  QuantileTable input_tokens;  ///< With conversations, of prompts that start afresh.
  QuantileTable output_tokens;
  QuantileTable reasoning_tokens;  ///< Hidden ones before the output; empty: none.
  std::int32_t samples = 1;        ///< Completions of each prompt, with lengths of their own.
  std::optional<ConversationSpec> conversations;
  std::optional<AgentChainSpec> chain;  ///< Every arrival is the first call of a task. No conversations beside it.
  std::string model;
  std::string request_class;
  /// The stream ends before an arrival at or after `duration`, or after `count` requests; with neither, with
  /// simulated time.
  std::optional<SimTime> duration;
  std::optional<std::uint64_t> count;  ///< With chains, of tasks.
  std::vector<GeneratorSpec> mix;      ///< When there are some, the stream is theirs together, up to `count` and `duration`.
};

/// Reports every value out of range under `path`; true when there is none.
bool check_generator(const GeneratorSpec& spec, const std::string& path, Diagnostics& diagnostics);

/// Requests as `spec` describes them, which has passed `check_generator`. Arrivals, inputs, outputs and conversations
/// draw from streams of their own, keyed by (seed, spec.name, purpose): changing one leaves the others as they are.
/// Memory stays bounded (with conversations, by their longest distance).
std::unique_ptr<RequestSource> make_generator(const GeneratorSpec& spec, std::uint64_t seed);

}  // namespace rackwright::traces
