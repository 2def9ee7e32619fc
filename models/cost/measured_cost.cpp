#include "models/cost/measured_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/invariant.h"

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

/// A collective's time over its size: between two measured sizes the line in the logarithms of both, since sizes are taken
/// in doubling steps; beyond them as the table says.
GridTable::Value over_sizes(const GridTable& table, double bytes) {
  GridTable::Value value = table.at(std::array{bytes});
  const std::vector<double> sizes = table.knots({});
  const auto right = std::ranges::lower_bound(sizes, bytes);
  if (!value.inside || right == sizes.begin() || right == sizes.end()) return value;
  const double left = *(right - 1);
  const double left_s = table.at(std::array{left}).value;
  const double right_s = table.at(std::array{*right}).value;
  value.value = left_s * std::pow(right_s / left_s, std::log(bytes / left) / std::log(*right / left));
  return value;
}

ProfilePlace with_family(const llm::Operator& op, ProfileFamily family) {
  ProfilePlace place = place_of(op);
  place.key.family = family;
  return place;
}

}  // namespace

MeasuredOperatorCost::MeasuredOperatorCost(const OperatorProfile& profile, const hardware::DeviceSpec& device,
                                           std::shared_ptr<const OperatorCostModel> others)
    : others_(std::move(others)), peak_(device.peak) {
  invariant(device.memory_bytes_per_s && device.peak.bf16_flop_per_s, "peaks are known");
  memory_bytes_per_s_ = *device.memory_bytes_per_s;
  achieved_memory_fraction_ = device.achieved_memory_fraction.value_or(default_achieved_memory);
  struct Points { std::vector<GridTable::Point> seconds, clock; };
  std::map<ProfileKey, Points> points;
  for (const ProfilePoint& point : profile.points) {
    const bool clocked = profile.full_clock_hz > 0 && point.sm_clock_hz > 0;
    Points& of_key = points[point.place.key];
    of_key.seconds.push_back({point.place.at, point.seconds});
    of_key.clock.push_back({point.place.at, clocked ? std::min(1.0, point.sm_clock_hz / profile.full_clock_hz) : 1.0});
  }
  for (const auto& [key, of_key] : points) {
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
  if (class_of(op.kind) == llm::OperatorClass::collective) {
    result.parts.link_s = seconds;
    return result;
  }
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
  const bool shaped = key.family != ProfileFamily::memory && key.family != ProfileFamily::collective;
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
  const bool is_collective = class_of(op.kind) == llm::OperatorClass::collective;
  GridTable::Value value = is_collective ? over_sizes(table.seconds, place[0]) : table.seconds.at(place);
  if (op.kind == llm::OperatorKind::prefill_attention)
    value.value = (value.value + table.seconds.at(std::array{table.seconds.next_first(place[0]), place[1]}).value) / 2;
  OperatorCost result = split(op, value.value, value.inside);
  // The edge's line may leave the range of clocks.
  result.clock = std::clamp(table.clock.at(place).value, 0.1, 1.0);
  return result;
}

OperatorCost MeasuredOperatorCost::cost(const llm::Operator& op) const {
  if (class_of(op.kind) == llm::OperatorClass::collective && op.ranks <= 1) return others_->cost(op);
  const ProfilePlace place = place_of(op);
  const Table* table = find(place.key);
  if (table != nullptr && (place.key.family != ProfileFamily::memory || same_work(op, place, table->seconds)))
    return at(*table, {place.at.data(), static_cast<std::size_t>(table->seconds.axes())}, op);
  // A kernel for mixed batches serves decodes alone too.
  if (place.key.family == ProfileFamily::decode_attention) {
    if (const Table* mixed = find(with_family(op, ProfileFamily::mixed_attention).key))
      return at(*mixed, std::array{0.0, 0.0, place.at[0], place.at[1]}, op);
  }
  OperatorCost other = others_->cost(op);
  if (table == nullptr && place.key.family == ProfileFamily::gemm) return from_other_products(op, place, other);
  const auto* near = table == nullptr ? nearest(place.key) : nullptr;
  if (near == nullptr) return other;
  const llm::Operator stand_in = operator_at({near->first, place.at});
  const OperatorCost measured = at(near->second, {place.at.data(), static_cast<std::size_t>(near->second.seconds.axes())}, stand_in);
  OperatorCost scaled = split(op, measured.seconds() * other.seconds() / others_->cost(stand_in).seconds(), true);
  scaled.clock = measured.clock;
  scaled.provenance = Provenance::calibrated;
  return scaled;
}

OperatorCost MeasuredOperatorCost::from_other_products(const llm::Operator& op, const ProfilePlace& place, const OperatorCost& other) const {
  struct Neighbour {
    double apart;
    const std::pair<const ProfileKey, Table>* entry;
  };
  std::vector<Neighbour> neighbours;
  for (const auto& entry : tables_) {
    const double apart = distance(entry.first, place.key);
    if (std::isfinite(apart)) neighbours.push_back({apart, &entry});
  }
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
  return split(work, seconds, inside);
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
