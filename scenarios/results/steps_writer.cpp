#include "scenarios/results/steps_writer.h"

#include "models/base/invariant.h"
#include "scenarios/results/columns.h"
#include "scenarios/results/record_file.h"
#include "scenarios/schema/steps.pb.h"

namespace rackwright::results {
namespace {

namespace pb = run::v1;

void fill(pb::StepTotals& to, const StepTotals& totals) {
  to.mutable_busy_ps()->Add(totals.busy_ps.begin(), totals.busy_ps.end());
  to.set_steps(totals.steps);
  to.set_prefill_tokens(totals.prefill_tokens);
  to.set_decode_tokens(totals.decode_tokens);
  to.set_sequence_s(totals.sequence_s);
  to.set_largest_batch(totals.largest_batch);
}

pb::StepStretches columns(const std::vector<StepStretch>& block) {
  pb::StepStretches to;
  SimTime at = block.front().start;
  for (const StepStretch& s : block) {
    to.add_gap_ps((s.start - at).ps);
    to.add_steps(s.steps);
    to.add_duration_ps(s.duration.ps);
    to.add_growth_ps(s.growth.ps);
    to.add_first_ps((s.first - s.duration).ps);
    to.add_tail_ps((s.end - s.boundary(s.steps)).ps);
    to.add_decode_sequences(s.decode_sequences);
    to.add_prefill_sequences(s.prefill_sequences);
    to.add_prefill_tokens(s.prefill_tokens);
    to.add_extra_tokens(s.extra_tokens);
    to.add_waiting(s.waiting);
    to.add_kv_blocks_used(s.kv_blocks_used);
    to.add_power_mw(s.power_mw);
    at = s.end;
  }
  clear_zeros(*to.mutable_gap_ps());
  clear_zeros(*to.mutable_growth_ps());
  clear_zeros(*to.mutable_first_ps());
  clear_zeros(*to.mutable_tail_ps());
  clear_zeros(*to.mutable_decode_sequences());
  clear_zeros(*to.mutable_prefill_sequences());
  clear_zeros(*to.mutable_prefill_tokens());
  clear_zeros(*to.mutable_extra_tokens());
  clear_zeros(*to.mutable_waiting());
  clear_zeros(*to.mutable_kv_blocks_used());
  clear_zeros(*to.mutable_power_mw());
  return to;
}

}  // namespace

StepsWriter::StepsWriter(const std::filesystem::path& path, std::uint32_t instances) : file_(path), open_(instances) {
  pb::StepsRecord record;
  record.mutable_header()->set_format(1);
  record.mutable_header()->set_instances(instances);
  append_record(file_.buffer(), record);
  file_.flush();
}

void StepsWriter::add(const StepStretch& stretch) {
  invariant(stretch.instance < open_.size(), "the steps of a run are of its instances");
  std::vector<StepStretch>& block = open_[stretch.instance];
  block.push_back(stretch);
  ++stretches_;
  ++waiting_;
  if (block.size() == block_stretches) put(block);
  else if (waiting_ == most_waiting) put_all();
}

void StepsWriter::put(std::vector<StepStretch>& block) {
  if (block.empty()) return;
  pb::StepsRecord record;
  pb::StepBlock& to = *record.mutable_block();
  StepTotals totals;
  SimTime end = block.front().end;
  for (const StepStretch& s : block) {
    totals += totals_within(s, s.start, s.end);
    end = std::max(end, s.end);
  }
  to.set_instance(block.front().instance);
  to.set_count(static_cast<std::uint32_t>(block.size()));
  to.set_start_ps(block.front().start.ps);
  to.set_end_ps(end.ps);
  to.set_kv_blocks(block.back().kv_blocks);
  fill(*to.mutable_totals(), totals);
  columns(block).SerializeToString(to.mutable_stretches());
  append_record(file_.buffer(), record);
  file_.drain();
  waiting_ -= block.size();
  block.clear();
}

void StepsWriter::put_all() {
  for (std::vector<StepStretch>& block : open_) put(block);
}

void StepsWriter::end() {
  put_all();
  pb::StepsRecord record;
  record.mutable_end()->set_stretches(stretches_);
  append_record(file_.buffer(), record);
  file_.close();
}

}  // namespace rackwright::results
