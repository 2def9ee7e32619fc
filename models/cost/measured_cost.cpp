#include "models/cost/measured_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/invariant.h"
#include "models/cost/table_lines.h"

namespace rackwright::cost {
namespace {

/// Of peak bandwidth, by the best long reads seen on current devices, where the catalog has no figure.
constexpr double default_achieved_memory = 0.92;

/// A product of a shape without a table follows this many of the nearest, weighted with 1 / (their distance + 0.05)². Of
/// one to eight neighbours and both powers this was best when every shape of an H200's grid was left out in turn: median
/// 2.0 %, 95th percentile 9.3 %; the nearest alone 2.5 and 10.8 %.
constexpr std::size_t product_neighbours = 6;
constexpr double nearest_apart = 0.05;

/// Fitted to 168 uneven batches of split-KV decode attention on an H200, for profiles without any.
constexpr double default_uneven_share = 0.53;

struct Seconds {
  double compute = 0;
  double memory = 0;
};

Seconds at_peak(const llm::Operator& op, const hardware::PeakRates& peak, double memory_bytes_per_s) {
  const bool multiplies = class_of(op.kind) != llm::OperatorClass::memory;
  const double rate = hardware::rate_of(peak, op.format).value_or(*peak.bf16_flop_per_s);
  return {multiplies ? op.flops / rate : 0, op.bytes / memory_bytes_per_s};
}

/// Whether the measured products of a format, whose weights lie in memory as they are multiplied, are this one's kernel,
/// a like one (the same but for scales in blocks, or fp16 for bf16), or another altogether.
enum class Kernel { same, like, other };

Kernel measured_kernel(const llm::Operator& op) {
  const double stored = llm::bits_per_weight(op.weights);
  const double multiplied = hardware::bits(op.format);
  if (stored < multiplied || stored > 1.01 * multiplied) return Kernel::other;
  return stored > multiplied || op.format == hardware::NumberFormat::fp16 ? Kernel::like : Kernel::same;
}

/// The operator as the profile's tables know it.
ProfilePlace place_in_profile(const llm::Operator& op) {
  ProfilePlace place = place_of(op);
  const bool product = place.key.family == ProfileFamily::gemm || place.key.family == ProfileFamily::grouped_gemm;
  if (product && op.format == hardware::NumberFormat::fp16) place.key.variant = static_cast<int>(hardware::NumberFormat::bf16);
  return place;
}

/// Whether attention does the work of the measured kernel: 16-bit KV and no window.
bool same_attention(const llm::Operator& op, const llm::Operator& measured) {
  constexpr double rounding = 0.01;
  return std::abs(op.flops - measured.flops) <= rounding * measured.flops && std::abs(op.bytes - measured.bytes) <= rounding * measured.bytes;
}

/// Whether a memory-bound operator moves what the measured one did: within the measured widths, and, as copies to experts
/// go with the number of experts per token, about as many bytes.
bool same_work(const llm::Operator& op, const ProfilePlace& place, const GridTable& table) {
  if (!table.covers_first(place.at[0])) return false;
  const double measured_bytes = operator_at(place).bytes;
  return op.bytes > 0.7 * measured_bytes && op.bytes < 1.3 * measured_bytes;
}

/// Whether keys and values lie in one latent row, which is another kernel.
bool is_latent(const ProfileKey& key) { return key.shape[1] == 1 && key.shape[3] < key.shape[2]; }

/// How far apart two shapes of one family are; infinite when one is no stand-in for the other.
double distance(const ProfileKey& a, const ProfileKey& b) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (a.family != b.family || a.variant != b.variant) return never;
  const bool attention = a.family == ProfileFamily::prefill_attention || a.family == ProfileFamily::decode_attention;
  if (attention && is_latent(a) != is_latent(b)) return never;
  double sum = 0;
  for (std::size_t i = 0; i < a.shape.size(); ++i) {
    if ((a.shape[i] > 0) != (b.shape[i] > 0)) return never;
    if (a.shape[i] > 0) sum += std::abs(std::log2(static_cast<double>(a.shape[i]) / b.shape[i]));
  }
  return sum;
}

ProfilePlace with_family(const llm::Operator& op, ProfileFamily family) {
  ProfilePlace place = place_of(op);
  place.key.family = family;
  return place;
}

}  // namespace

MeasuredOperatorCost::MeasuredOperatorCost(const OperatorProfile& profile, const hardware::DeviceSpec& device,
                                           std::shared_ptr<const OperatorCostModel> others, const std::optional<ScaleUpSpec>& scale_up)
    : collectives_(profile.points),
      one_shot_(profile.points, CollectiveKernel::one_shot),
      others_(std::move(others)),
      scale_up_(scale_up),
      peak_(device.peak) {
  invariant(device.memory_bytes_per_s && device.peak.bf16_flop_per_s, "peaks are known");
  memory_bytes_per_s_ = *device.memory_bytes_per_s;
  achieved_memory_fraction_ = device.achieved_memory_fraction.value_or(default_achieved_memory);
  struct Points { std::vector<GridTable::Point> seconds, clock; };
  std::map<ProfileKey, Points> points;
  for (const ProfilePoint& point : profile.points) {
    if (point.place.key.family == ProfileFamily::collective) continue;
    const bool clocked = profile.full_clock_hz > 0 && point.sm_clock_hz > 0;
    Points& of_key = points[point.place.key];
    of_key.seconds.push_back({point.place.at, point.seconds});
    of_key.clock.push_back({point.place.at, clocked ? std::min(1.0, point.sm_clock_hz / profile.full_clock_hz) : 1.0});
  }
  for (const auto& [key, of_key] : points) {
    if (key.family == ProfileFamily::grouped_gemm) {
      std::vector<GroupedTable::Point> seconds;
      std::vector<GridTable::Point> clock;
      for (std::size_t i = 0; i < of_key.seconds.size(); ++i) {
        const auto& at = of_key.seconds[i].at;
        seconds.push_back({at[0], at[1], of_key.seconds[i].value});
        clock.push_back({{at[1] / at[0]}, of_key.clock[i].value});
      }
      grouped_.emplace(key, GroupedProducts{GroupedTable(seconds), GridTable(1, clock)});
      continue;
    }
    const int axes = axis_count(key.family);
    tables_.emplace(key, Table{GridTable(axes, of_key.seconds), GridTable(axes, of_key.clock)});
  }
  uneven_share_ = profile.uneven.empty() ? default_uneven_share : fit_uneven_share(profile);
}

const MeasuredOperatorCost::Table* MeasuredOperatorCost::find(const ProfileKey& key) const {
  const auto found = tables_.find(key);
  return found == tables_.end() ? nullptr : &found->second;
}

OperatorCost MeasuredOperatorCost::split(const llm::Operator& op, double seconds, bool inside) const {
  OperatorCost result;
  result.provenance = inside ? Provenance::measured : Provenance::extrapolated;
  const Seconds peak = at_peak(op, peak_, memory_bytes_per_s_);
  if (peak.memory >= peak.compute) result.parts.memory_s = std::min(seconds, peak.memory / achieved_memory_fraction_);
  result.parts.sm_clock_s = seconds - result.parts.memory_s;
  // Nothing can be busier than all the time, whatever the datasheet's peak.
  result.memory_busy_s = std::min(peak.memory, seconds);
  result.compute_busy_s = std::min(peak.compute, seconds);
  return result;
}

const std::pair<const ProfileKey, MeasuredOperatorCost::Table>* MeasuredOperatorCost::nearest(const ProfileKey& key) const {
  const std::pair<const ProfileKey, Table>* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  const bool shaped = key.family != ProfileFamily::memory;
  for (const auto& entry : tables_) {
    const double apart = shaped ? distance(entry.first, key) : least;
    if (apart < least) {
      least = apart;
      best = &entry;
    }
  }
  return best;
}

OperatorCost MeasuredOperatorCost::at(const Table& table, std::span<const double> place, const llm::Operator& op) const {
  GridTable::Value value = class_of(op.kind) == llm::OperatorClass::memory ? over_widths(table.seconds, place[0], place[1]) : table.seconds.at(place);
  if (op.kind == llm::OperatorKind::prefill_attention)
    value.value = (value.value + table.seconds.at(std::array{table.seconds.next_first(place[0]), place[1]}).value) / 2;
  OperatorCost result = split(op, value.value, value.inside);
  // The edge's line may leave the range of clocks.
  result.clock = std::clamp(table.clock.at(place).value, 0.1, 1.0);
  return result;
}

OperatorCost MeasuredOperatorCost::collective(const llm::Operator& op) const {
  const MeasuredCollectives& kernel = scale_up_ && runs_over_peer_memory(*scale_up_, op) ? one_shot_ : collectives_;
  const std::optional<CollectiveTime> time = op.ranks > 1 ? kernel.time(op) : std::nullopt;
  if (!time) return others_->cost(op);
  OperatorCost result;
  result.parts.link_s = time->seconds;
  result.provenance = time->provenance;
  return result;
}

OperatorCost MeasuredOperatorCost::cost(const llm::Operator& op) const {
  const llm::OperatorClass operator_class = class_of(op.kind);
  if (operator_class == llm::OperatorClass::collective) return collective(op);
  const ProfilePlace place = place_in_profile(op);
  if (operator_class == llm::OperatorClass::gemm || operator_class == llm::OperatorClass::grouped_gemm) {
    const Kernel kernel = measured_kernel(op);
    if (kernel == Kernel::other) return others_->cost(op);
    OperatorCost result = product(op, place);
    if (kernel == Kernel::like) result.provenance = std::max(result.provenance, Provenance::calibrated);
    return result;
  }
  const Table* table = find(place.key);
  const bool attends = operator_class == llm::OperatorClass::prefill_attention || operator_class == llm::OperatorClass::decode_attention;
  if (table != nullptr && (place.key.family != ProfileFamily::memory || same_work(op, place, table->seconds))) {
    const std::span<const double> at_place{place.at.data(), static_cast<std::size_t>(table->seconds.axes())};
    return attends ? attention(*table, at_place, op, operator_at(place)) : at(*table, at_place, op);
  }
  // A kernel for mixed batches serves decodes alone too.
  if (place.key.family == ProfileFamily::decode_attention) {
    if (const Table* mixed = find(with_family(op, ProfileFamily::mixed_attention).key))
      return attention(*mixed, std::array{0.0, 0.0, place.at[0], place.at[1]}, op, operator_at(place));
  }
  const auto* near = table == nullptr ? nearest(place.key) : nullptr;
  if (near == nullptr) return others_->cost(op);
  const std::span<const double> at_place{place.at.data(), static_cast<std::size_t>(near->second.seconds.axes())};
  return scaled(near->second, at_place, op, operator_at({near->first, place.at}));
}

OperatorCost MeasuredOperatorCost::attention(const Table& table, std::span<const double> at_place, const llm::Operator& op,
                                             const llm::Operator& measured) const {
  return same_attention(op, measured) ? at(table, at_place, op) : scaled(table, at_place, op, measured);
}

OperatorCost MeasuredOperatorCost::scaled(const Table& table, std::span<const double> at_place, const llm::Operator& op,
                                          const llm::Operator& stand_in) const {
  const OperatorCost measured = at(table, at_place, stand_in);
  OperatorCost result = split(op, measured.seconds() * others_->cost(op).seconds() / others_->cost(stand_in).seconds(), true);
  result.clock = measured.clock;
  result.provenance = Provenance::calibrated;
  return result;
}

OperatorCost MeasuredOperatorCost::product(const llm::Operator& op, const ProfilePlace& place) const {
  if (place.key.family == ProfileFamily::grouped_gemm) return grouped_product(op, place);
  const Table* table = find(place.key);
  return table == nullptr ? from_other_products(op, place) : at(*table, {place.at.data(), 1}, op);
}

OperatorCost MeasuredOperatorCost::grouped_product(const llm::Operator& op, const ProfilePlace& place) const {
  const auto values = [](const ProfileKey& key) { return static_cast<double>(key.shape[0]) * key.shape[1]; };
  const auto near = std::ranges::min_element(grouped_, {}, [&](const auto& entry) { return distance(entry.first, place.key); });
  if (near == grouped_.end() || !std::isfinite(distance(near->first, place.key))) return others_->cost(op);
  const auto& [seconds, clock] = near->second;
  const double groups = place.at[0];
  const double rows = std::min(place.at[1], groups * seconds.most_rows_each());
  const GridTable::Value measured = seconds.at(groups, rows);
  double value = measured.value;
  if (place.at[1] > rows) {
    // The last points may lie at the knee, whose line is not that of the arithmetic.
    const auto other_s = [&](double at_rows) { return others_->cost(operator_at({near->first, {groups, at_rows}})).seconds(); };
    value *= other_s(place.at[1]) / other_s(rows);
  }
  const bool same_shape = near->first == place.key;
  if (!same_shape) {
    // What a kernel takes with nothing to do does not shrink with the shape.
    llm::Operator nothing = op;
    nothing.m = nothing.flops = nothing.bytes = 0;
    const double kernel_s = others_->cost(nothing).seconds();
    value = kernel_s + std::max(value - kernel_s, 0.0) * values(place.key) / values(near->first);
  }
  OperatorCost result = split(op, value, measured.inside && rows == place.at[1]);
  result.clock = std::clamp(clock.at(std::array{rows / groups}).value, 0.1, 1.0);
  if (!same_shape) result.provenance = Provenance::calibrated;
  return result;
}

OperatorCost MeasuredOperatorCost::from_other_products(const llm::Operator& op, const ProfilePlace& place) const {
  struct Neighbour {
    double apart;
    const std::pair<const ProfileKey, Table>* entry;
  };
  std::vector<Neighbour> neighbours;
  for (const auto& entry : tables_) {
    const double apart = distance(entry.first, place.key);
    if (std::isfinite(apart)) neighbours.push_back({apart, &entry});
  }
  const OperatorCost other = others_->cost(op);
  if (neighbours.empty()) return other;
  std::ranges::stable_sort(neighbours, {}, &Neighbour::apart);
  // Those measured at such an m before those that were not.
  std::ranges::stable_partition(neighbours, [&](const Neighbour& n) { return n.entry->second.seconds.covers_first(place.at[0]); });
  double weights = 0;
  double log_seconds = 0;
  double clock = 0;
  for (std::size_t i = 0; i < std::min(neighbours.size(), product_neighbours); ++i) {
    const auto& [apart, entry] = neighbours[i];
    const llm::Operator stand_in = operator_at({entry->first, place.at});
    const OperatorCost measured = at(entry->second, {place.at.data(), 1}, stand_in);
    const double weight = 1 / ((apart + nearest_apart) * (apart + nearest_apart));
    log_seconds += weight * std::log(measured.seconds() / others_->cost(stand_in).seconds());
    clock += weight * measured.clock;
    weights += weight;
  }
  OperatorCost scaled = split(op, other.seconds() * std::exp(log_seconds / weights), true);
  scaled.clock = clock / weights;
  scaled.provenance = Provenance::calibrated;
  return scaled;
}

std::vector<double> MeasuredOperatorCost::decode_knots(const llm::Operator& shortest, const llm::Operator& longest) const {
  const double first = mean_context(shortest);
  const double last = mean_context(longest);
  std::vector<double> knots;
  if (const Table* table = find(place_of(shortest).key)) {
    knots = table->seconds.knots(std::array{shortest.sequences});
    if (!same_attention(longest, operator_at(place_of(longest)))) {
      const std::vector<double> bends = others_->decode_knots(shortest, longest);
      knots.insert(knots.end(), bends.begin(), bends.end());
      std::ranges::sort(knots);
    }
  } else if (const Table* mixed = find(with_family(shortest, ProfileFamily::mixed_attention).key)) {
    knots = mixed->seconds.knots(std::array{0.0, 0.0, shortest.sequences});
  } else if (const auto* near = nearest(place_of(shortest).key)) {
    knots = near->second.seconds.knots(std::array{shortest.sequences});
    const std::vector<double> bends = others_->decode_knots(shortest, longest);
    knots.insert(knots.end(), bends.begin(), bends.end());
    std::ranges::sort(knots);
  } else {
    return others_->decode_knots(shortest, longest);
  }
  std::erase_if(knots, [&](double knot) { return knot <= first || knot >= last; });
  knots.insert(knots.begin(), first);
  knots.push_back(last);
  return knots;
}

bool MeasuredOperatorCost::has_mixed_attention(const llm::Operator& layer) const {
  return find(with_family(layer, ProfileFamily::mixed_attention).key) != nullptr;
}

OperatorCost MeasuredOperatorCost::mixed_attention(const llm::Operator& layer, const MixedAttention& load) const {
  const GridTable& table = find(with_family(layer, ProfileFamily::mixed_attention).key)->seconds;
  const double n = load.decode_sequences;
  const double mean = n > 0 ? load.decode_context_tokens / n : 0;
  const auto time = [&](double new_tokens, double past, double sequences, double context) {
    return table.at(std::array{new_tokens, past, sequences, context});
  };
  // The largest chunk with the decodes, as measured; each further chunk adds what it costs alone beyond a kernel with
  // hardly anything to do.
  const auto largest = std::ranges::max_element(load.prefill, {}, &PrefillChunk::new_tokens);
  const GridTable::Value even = time(largest->new_tokens, largest->past_tokens, n, mean);
  double seconds = even.value;
  bool inside = even.inside;
  if (n > 0 && load.decode_context_max > mean) {
    seconds += uneven_share_ * std::max(time(0, 0, 1, load.decode_context_max).value - time(0, 0, 1, mean).value, 0.0);
  }
  const double floor = time(1, 0, 0, 0).value;
  llm::Operator work = layer;  // Flops and bytes of decodes and chunks together.
  work.flops = layer.flops * load.decode_context_tokens;
  const double row_bytes = layer.bytes - 2.0 * layer.query_heads * (layer.head_dim + layer.value_dim);
  work.bytes = row_bytes * load.decode_context_tokens;
  for (const PrefillChunk& chunk : load.prefill) {
    const double tokens = chunk.new_tokens;
    work.flops += layer.flops * (tokens * chunk.past_tokens + tokens * (tokens + 1) / 2);
    work.bytes += row_bytes * (tokens + chunk.past_tokens);
    if (&chunk == &*largest) continue;
    const GridTable::Value alone = time(tokens, chunk.past_tokens, 0, 0);
    seconds += std::max(alone.value - floor, 0.0);
    inside = inside && alone.inside;
  }
  // The table is of a 16-bit cache; another moves other bytes.
  const double wide = 16.0 / hardware::bits(layer.kv);
  if (wide == 1) return split(work, seconds, inside);
  llm::Operator measured = work;
  measured.bytes *= wide;
  OperatorCost result = split(work, seconds * others_->cost(work).seconds() / others_->cost(measured).seconds(), true);
  result.provenance = Provenance::calibrated;
  return result;
}

double fit_uneven_share(const OperatorProfile& profile) {
  std::map<ProfileKey, std::vector<GridTable::Point>> points;
  for (const ProfilePoint& point : profile.points)
    if (point.place.key.family == ProfileFamily::decode_attention) points[point.place.key].push_back({point.place.at, point.seconds});
  // Least squares of t − t(n, mean) = share · (t(1, longest) − t(1, mean)), each relative to t.
  double product = 0;
  double square = 0;
  for (const UnevenPoint& uneven : profile.uneven) {
    const auto found = points.find(uneven.even.key);
    if (found == points.end()) continue;
    const GridTable table(2, found->second);
    const double mean_s = table.at(std::array{uneven.even.at[0], uneven.even.at[1]}).value;
    const double alone_s = table.at(std::array{1.0, uneven.longest}).value - table.at(std::array{1.0, uneven.even.at[1]}).value;
    const double reach = alone_s / uneven.seconds;
    product += reach * (uneven.seconds - mean_s) / uneven.seconds;
    square += reach * reach;
  }
  return square > 0 ? std::clamp(product / square, 0.0, 1.0) : 0;
}

}  // namespace rackwright::cost
