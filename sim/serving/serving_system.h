#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/run_summary.h"
#include "sim/engine/engine.h"
#include "sim/metrics/run_observer.h"
#include "sim/serving/admission.h"
#include "sim/serving/autoscaler.h"
#include "sim/serving/instance.h"
#include "sim/serving/instance_group.h"
#include "sim/serving/intake.h"
#include "sim/serving/kv_streams.h"
#include "sim/serving/kv_transport.h"
#include "sim/serving/router.h"
#include "sim/serving/sample_groups.h"
#include "sim/serving/sequence.h"
#include "sim/serving/station.h"
#include "sim/serving/tool_rounds.h"
#include "sim/serving/voice_turns.h"
#include "traces/records/request.h"

namespace rackwright::serving {

struct PoolSpec {
  std::string name;
  std::string model;  ///< Requests for this model; "" takes every model that no other pool names.
  int replicas = 1;
  InstanceSpec instance;
  std::int64_t max_context_tokens = 0;  ///< Input and output of one request; 0 means no limit.
  Admission admission;
  SimTime client_delay;  ///< One way between its clients and it; for pools that do all of a request.
  int helper_pool = -1;  ///< Index of the pool whose instance i works within the steps of instance i of this one, or none.
  ScalingSpec scaling;
  /// How KV comes to it, when its instances decode. Decode pools of one model share initiative and which prompts are local.
  KvTransferSpec kv_transfer;
};

/// How requests of one class (a name in the trace) are treated.
struct RequestClassSpec {
  std::string name;
  std::int32_t priority = 0;            ///< Lower runs first, under a policy that knows priorities.
  SimTime first_token_within = SimTime::max();  ///< After arrival: the deadline, under a policy that knows deadlines.
  SimTime timeout = SimTime::max();     ///< After arrival, when the client gives up; max means never.
  std::string model{};                  ///< That serves the class; "" for the one that the request names.
  SimTime step_within = SimTime::max();  ///< The strictest objective for the time between its tokens.
};

struct ServingSpec {
  std::vector<PoolSpec> pools;  ///< A model with a prefill pool has a decode pool too.
  std::shared_ptr<const Router> router;
  std::shared_ptr<const Router> decode_router;  ///< Among decode instances; null: `router`.
  std::vector<RequestClassSpec> classes;  ///< Reported by their number from 1; 0 is every other request.
  RequestClassSpec others{};              ///< How those are treated.
  std::vector<StationSpec> stations{};
  std::vector<ToolSpec> tools{};
  std::optional<VoiceSpec> voice{};       ///< Then every request is a spoken turn.
  SampleRule sample_rule = SampleRule::all;
  Jumping jumping = Jumping::on;
};

/// Why a run stopped making progress: the first request that waits, and for what.
struct Stall {
  std::uint64_t request = 0;
  std::string resource;
};

/// What became of the requests; total = completed + rejected + failed + cancelled + in flight.
struct ServingCounts {
  std::uint64_t total = 0;
  std::uint64_t completed = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t in_flight = 0;
};

/// The serving side of a run: pulls requests from their source, one arrival ahead, routes them to the instances of
/// the pools that serve their model, and reports to the observer what becomes of them. A request with a parent waits
/// for the parent to complete, and arrives when its think time has passed, not before the arrival in the source; when
/// the parent does not complete, it is cancelled.
///
/// Tools of a request run on stations before it arrives. With speech around the model, its turn begins then, it arrives
/// when its text is there, and it leaves when the answer has sounded.
///
/// With prefill and decode pools, a prefill instance computes the prompt and emits the first token, and a decode
/// instance emits the others. Where KV is pulled, the request is routed to a decode instance then, which takes blocks
/// for its KV in its turn; only then the KV is sent. Where it is pushed, both are chosen on arrival, and the prompt is
/// not computed before the decode instance has taken blocks: a full decode side holds prompts up. Until all of it is
/// there, KV stays where it was computed.
///
///   ServingSystem system(engine, spec, source, observer, transport);   // all outlive the run; no transport without
///   system.start();                                                    // decode pools
///   engine.run();
///   const std::optional<Stall> stall = system.finish();                // checks the conservation laws
class ServingSystem final : private engine::EventHandler, private InstanceOwner, private IntakeOwner, private KvTransferHandler,
                            private ToolRoundsOwner, private VoiceTurnsOwner {
 public:
  ServingSystem(engine::Engine& engine, const ServingSpec& spec, traces::RequestSource& source, metrics::RunObserver& observer,
                KvTransport* transport = nullptr, StepTraffic* traffic = nullptr);

  /// Puts the first arrival into the calendar.
  void start() { intake_.start(); }
  /// After a run that was stopped: reports the steps of stretches that are still open.
  void close();
  /// After the run. Says why requests are left, if some are although nothing more can happen.
  std::optional<Stall> finish() const;

  const ServingCounts& counts() const { return counts_; }
  /// What a watchdog looks at, in `Phase::control` or after: whether requests want anything (those in their think time
  /// do not), whether any step is in flight, how many have ended, over all instances, and whether KV of any request set
  /// out after `since` and is still on its way, from another instance or a lower tier.
  bool has_work() const { return pool_.in_use() > 0; }
  bool is_computing() const;
  std::int64_t steps_ended();
  bool fetches_since(SimTime since) const;
  /// What the tiers of each pool did.
  std::vector<results::KvTierUse> kv_tiers() const;
  std::size_t instance_count() const { return instances_.size(); }
  Instance& instance(std::size_t index) { return *instances_[index]; }

 private:
  /// The instances that serve one model: those that take requests, and those that only decode.
  struct Service {
    std::string model;
    InstanceGroup entry;
    InstanceGroup decode;
    DecodeForecast forecast;
    KvTransferSpec transfer;  ///< To its decode instances, as far as all their pools share it.
  };
  struct Placement {
    InstanceGroup* group = nullptr;
    std::uint32_t index = 0;  ///< As a member of the group.
  };

  void on_event(std::uint64_t token) override;
  void on_completed(SequenceId id) override;
  void on_prefilled(SequenceId id) override;
  void on_reception_started(SequenceId id) override;
  void on_prompt_step(SequenceId id, std::int32_t tokens, SimTime duration) override;
  void on_cancelled_gone(SequenceId id) override;
  void on_end_of_time(std::uint32_t instance) override;
  void on_taken() override;
  void on_arrival(traces::Request& request) override;
  void on_tools_ended(traces::Request& request, const ToolTimes& times) override;
  void on_text(traces::Request& request, const ToolTimes& tools, std::uint32_t turn) override;
  void on_milestone(SequenceId id) override;
  void on_turn_ended(const results::RequestOutcome& outcome) override;
  void on_lost(const traces::Request& request) override;
  void on_kv_there(std::uint64_t token) override;

  void make_stations();
  void admit(SequenceId id, traces::Request& request);
  std::int32_t next_milestone(const Sequence& sequence, std::int32_t emitted) const;
  void speak(Sequence& sequence, std::int32_t tokens);
  void leave(const Sequence& sequence, const metrics::RequestOutcome& report);
  void let_go(const metrics::RequestOutcome& report);
  std::uint64_t samples_token(std::uint32_t group) const;
  void open_samples(SequenceId id, std::vector<std::int32_t> others);
  void name_prompt(Sequence& sequence, std::int32_t block_tokens) const;
  void act_on_samples(std::uint32_t group);
  void start_samples(std::uint32_t group);
  void on_sample_completed(SequenceId id);
  void join_leader(SequenceId id);
  void answer_with(SequenceId id, std::uint32_t group);
  bool give_up_samples(SequenceId leader);
  std::int64_t drop_samples(SampleGroup& group);
  void release_sample(SequenceId id);
  Service& service_for(const std::string& model);
  InstanceGroup& group_of(const PoolSpec& pool);
  std::uint32_t first_instance(std::size_t pool) const;
  SequenceId make_sequence(traces::Request& request);
  void route(SequenceId id);
  metrics::Cause refusal(Instance& instance, Sequence& sequence);
  bool computes_prompt_where_it_decodes(const Service& service, const Sequence& sequence, const Instance& prefill) const;
  void submit_to_decoder(SequenceId id);
  void expect_before_prompt(SequenceId id, std::uint32_t prefill_instance);
  void start_prompt(SequenceId id);
  void leave_decoder(SequenceId id);
  void leave_prefiller(const Sequence& sequence);
  void send_kv(SequenceId id);
  const KvTransferSpec& transfer_to(std::uint32_t instance) const;
  std::uint32_t chosen_decoder(const Sequence& sequence, InstanceGroup& group) const;
  void hand_over(SequenceId id);
  void give_up(SequenceId id);
  void release_kv(const Sequence& sequence);
  void report(SequenceId id, metrics::Outcome outcome, metrics::Cause cause);
  void count_out(const metrics::RequestOutcome& report);
  void on_load_changed(std::uint32_t instance);
  void reach_instance(SequenceId id);
  int service_called(std::string_view model) const;
  void prompt_leaves(Sequence& sequence);
  std::optional<SequenceId> oldest_fetch() const;
  int service_of(std::uint32_t model);
  /// By the source's name id: 0 for what no class is named after, else its number in the spec, from 1.
  std::uint32_t class_index(std::uint32_t name);
  const RequestClassSpec& class_of(std::uint32_t name);

  engine::Engine& engine_;
  const ServingSpec& spec_;
  traces::RequestSource& source_;
  metrics::RunObserver& observer_;

  SequencePool pool_;
  KvStreams streams_;
  std::vector<std::unique_ptr<Instance>> instances_;
  std::vector<Placement> placements_;
  std::vector<std::int64_t> prompt_tokens_;  ///< Of prompts that are to be computed at each prefill instance.
  std::deque<Service> services_;
  InstanceGroup helpers_;  ///< Take no requests.
  std::deque<Autoscaler> scalers_;
  Intake intake_;
  std::deque<Station> stations_;
  ToolRounds tools_;
  std::optional<VoiceTurns> turns_;
  SampleGroups samples_;
  std::size_t sample_sequences_ = 0;  ///< Completions that run beside the first of their prompt.
  std::vector<int> service_of_model_;  ///< By the source's name id.
  std::vector<int> class_of_name_;
  ServingCounts counts_;
  std::size_t leaving_ = 0;  ///< Cancelled, and still part of a step or a transfer.
  std::optional<Stall> stall_;
};

}  // namespace rackwright::serving
