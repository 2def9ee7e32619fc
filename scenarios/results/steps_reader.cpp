#include "scenarios/results/steps_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "models/base/invariant.h"
#include "scenarios/results/columns.h"
#include "scenarios/results/record_file.h"
#include "scenarios/schema/steps.pb.h"

namespace rackwright::results {
namespace {

namespace pb = run::v1;

/// More than any hall holds; a damaged head asks for no more memory than that.
constexpr std::uint32_t most_instances = 10'000'000;

StepTotals totals_of(const pb::StepTotals& from) {
  StepTotals totals;
  for (int kind = 0; kind < std::min(from.busy_ps_size(), static_cast<int>(step_kind_count)); ++kind)
    totals.busy_ps[static_cast<std::size_t>(kind)] = from.busy_ps(kind);
  totals.steps = from.steps();
  totals.prefill_tokens = from.prefill_tokens();
  totals.decode_tokens = from.decode_tokens();
  totals.sequence_s = from.sequence_s();
  totals.largest_batch = from.largest_batch();
  return totals;
}

SimTime sum(SimTime a, std::int64_t b) {
  SimTime sum;
  if (__builtin_add_overflow(a.ps, b, &sum.ps)) throw DamagedStream("a time of a step is out of range");
  return sum;
}

/// Holds for every stretch that a run writes.
bool is_sound(const StepStretch& s) {
  return s.start.ps >= 0 && s.end >= s.start && s.steps >= 0 && s.duration.ps >= 0 && s.growth.ps >= 0 && s.first.ps >= 0 &&
         s.decode_sequences >= 0 && s.prefill_sequences >= 0 && s.prefill_tokens >= 0 && s.boundary(s.steps) <= s.end;
}

}  // namespace

StepsReader::StepsReader(std::filesystem::path path, const std::atomic<bool>& stopped) : path_(std::move(path)) {
  RecordFile records(path_);
  bool any = false;
  bool ended = false;
  try {
    while (!ended && !stopped) {
      const auto bytes = records.next();
      if (!bytes) break;
      take(*bytes, records.offset(), ended);
      any = true;
    }
  } catch (const DamagedStream& damage) {
    if (!any) throw;
    partial_reason_ = damage.what();
  }
  if (!any) throw DamagedStream("the file holds no steps");
  if (!ended && partial_reason_.empty()) partial_reason_ = "the steps have no end: the run was interrupted, or goes on";
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw EnvironmentError(fmt::format("the steps of a run cannot be opened: {} ({})", std::strerror(errno), path_.string()));
}

StepsReader::~StepsReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StepsReader::take(std::string_view bytes, std::uint64_t offset, bool& ended) {
  pb::StepsRecord record;
  if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) throw DamagedStream("a record of steps does not parse");
  if (blocks_.empty()) {
    const pb::StepsHeader& header = record.header();
    if (!record.has_header() || header.instances() > most_instances) throw DamagedStream("the file does not begin as one of steps");
    if (header.format() > 1) throw DamagedStream(fmt::format("the steps have format {}, which is newer than this program", header.format()));
    blocks_.resize(header.instances());
    return;
  }
  if (record.has_end()) ended = true;
  if (!record.has_block()) return;
  const pb::StepBlock& from = record.block();
  if (from.instance() >= blocks_.size() || from.end_ps() < from.start_ps() || from.start_ps() < 0) throw DamagedStream("a block of steps has impossible values");
  std::vector<StepBlock>& blocks = blocks_[from.instance()];
  blocks.push_back({from.instance(), from.count(), rows(from.instance()), {from.start_ps()}, {from.end_ps()}, from.kv_blocks(),
                    totals_of(from.totals()), offset, static_cast<std::uint32_t>(bytes.size())});
  end_ = std::max(end_, blocks.back().end);
}

std::int64_t StepsReader::rows(std::uint32_t instance) const {
  const std::vector<StepBlock>& blocks = blocks_[instance];
  return blocks.empty() ? 0 : blocks.back().first_row + blocks.back().count;
}

std::vector<StepStretch> StepsReader::read(const StepBlock& block) const {
  std::string bytes(block.bytes, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t part = ::pread(descriptor_, bytes.data() + got, bytes.size() - got, static_cast<off_t>(block.offset + got));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) throw DamagedStream("the steps became shorter than they were");
    got += static_cast<std::size_t>(part);
  }
  pb::StepsRecord record;
  pb::StepStretches rows;
  if (!record.ParseFromString(bytes) || !rows.ParseFromString(record.block().stretches())) throw DamagedStream("a block of steps does not parse");
  const int count = static_cast<int>(block.count);
  if (rows.steps_size() != count) throw DamagedStream("a block of steps has another length");
  std::vector<StepStretch> stretches(block.count);
  SimTime last = block.start;
  for (int row = 0; row < count; ++row) {
    StepStretch& s = stretches[static_cast<std::size_t>(row)];
    s.instance = block.instance;
    s.start = sum(last, at(rows.gap_ps(), row, count));
    s.steps = at(rows.steps(), row, count);
    s.duration = {at(rows.duration_ps(), row, count)};
    s.growth = {at(rows.growth_ps(), row, count)};
    s.first = sum(s.duration, at(rows.first_ps(), row, count));
    s.decode_sequences = at(rows.decode_sequences(), row, count);
    s.prefill_sequences = at(rows.prefill_sequences(), row, count);
    s.prefill_tokens = at(rows.prefill_tokens(), row, count);
    s.extra_tokens = at(rows.extra_tokens(), row, count);
    s.waiting = at(rows.waiting(), row, count);
    s.kv_blocks_used = at(rows.kv_blocks_used(), row, count);
    s.kv_blocks = block.kv_blocks;
    s.power_mw = at(rows.power_mw(), row, count);
    s.end = sum(s.boundary(s.steps), at(rows.tail_ps(), row, count));
    if (!is_sound(s)) throw DamagedStream("a step has impossible values");
    last = s.end;
  }
  return stretches;
}

std::vector<StepTotals> StepsReader::totals(std::uint32_t instance, SimTime from, SimTime to, std::size_t columns) const {
  std::vector<StepTotals> parts(columns);
  if (columns == 0 || to <= from) return parts;
  const double part_ps = static_cast<double>((to - from).ps) / static_cast<double>(columns);
  const auto edge = [&](std::size_t column) { return column == columns ? to : from + SimTime{static_cast<std::int64_t>(part_ps * static_cast<double>(column))}; };
  // The part that an instant falls into; the edges are whole picoseconds, so that rounding may be one off.
  const auto column_of = [&](SimTime when) {
    auto column = std::min(static_cast<std::size_t>(std::max(0.0, static_cast<double>((when - from).ps) / part_ps)), columns - 1);
    while (column > 0 && when < edge(column)) --column;
    while (column + 1 < columns && when >= edge(column + 1)) ++column;
    return column;
  };
  for (const StepBlock& block : blocks_[instance]) {
    if (block.end <= from || block.start >= to) continue;
    const std::size_t first = column_of(std::max(block.start, from));
    if (block.start >= edge(first) && block.end <= edge(first + 1)) {
      parts[first] += block.totals;
      continue;
    }
    for (const StepStretch& stretch : read(block)) {
      if (stretch.end <= from || stretch.start >= to) continue;
      const std::size_t last = column_of(std::min(stretch.end, to));
      for (std::size_t column = column_of(std::max(stretch.start, from)); column <= last; ++column)
        parts[column] += totals_within(stretch, edge(column), edge(column + 1));
    }
  }
  return parts;
}

std::vector<StepStretch> StepsReader::stretches(std::uint32_t instance, SimTime from, SimTime to, std::size_t most) const {
  std::vector<StepStretch> found;
  for (const StepBlock& block : blocks_[instance]) {
    if (block.start >= to || block.end <= from) continue;
    for (const StepStretch& stretch : read(block)) {
      if (stretch.end <= from || stretch.start >= to) continue;
      if (found.size() == most) return {};
      found.push_back(stretch);
    }
  }
  return found;
}

}  // namespace rackwright::results
