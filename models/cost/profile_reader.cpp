#include "models/cost/profile_reader.h"

#include <fstream>
#include <iterator>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "models/base/invariant.h"
#include "models/cost/csv_table.h"

namespace rackwright::cost {
namespace {

using hardware::NumberFormat;
using llm::OperatorKind;

/// One row of a table, by column name.
class Row {
 public:
  Row(const CsvTable& table, std::size_t row, Diagnostics& diagnostics) : table_(table), row_(row), diagnostics_(diagnostics) {}
  double number(std::string_view column) const { return table_.number(row_, column, diagnostics_); }
  double number_or(std::string_view column, double otherwise) const { return table_.number_or(row_, column, otherwise, diagnostics_); }
  int integer(std::string_view column) const { return static_cast<int>(number(column)); }
  std::string_view text(std::string_view column) const { return table_.text(row_, column); }
  bool measured() const { return text("skip").empty() && !text("median_us").empty() && text("mode") != "eager"; }
  double seconds() const { return number("median_us") * 1e-6; }
  double sm_clock_hz() const { return number_or("sm_mhz", 0) * 1e6; }

 private:
  const CsvTable& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
};

struct NamedKind {
  std::string_view name;
  OperatorKind kind;
};

constexpr std::array memory_operators{
    NamedKind{"residual_rmsnorm", OperatorKind::norm}, NamedKind{"silu_mul", OperatorKind::activation},
    NamedKind{"rope_kv_write", OperatorKind::rope}, NamedKind{"embedding", OperatorKind::embedding},
    NamedKind{"router_top8", OperatorKind::route}, NamedKind{"moe_permute", OperatorKind::permute},
    NamedKind{"moe_combine", OperatorKind::combine}, NamedKind{"argmax", OperatorKind::sampling}};

constexpr std::array collectives{
    NamedKind{"all_reduce", OperatorKind::all_reduce}, NamedKind{"all_gather", OperatorKind::all_gather},
    NamedKind{"all_to_all", OperatorKind::all_to_all}, NamedKind{"send_recv", OperatorKind::send},
    NamedKind{"reduce_scatter", OperatorKind::reduce_scatter}, NamedKind{"broadcast", OperatorKind::broadcast}};

template <std::size_t Size>
std::optional<OperatorKind> kind_named(const std::array<NamedKind, Size>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &NamedKind::name);
  if (found == names.end()) return std::nullopt;
  return found->kind;
}

std::optional<NumberFormat> format_named(std::string_view type) {
  if (type == "bf16") return NumberFormat::bf16;
  if (type == "fp8_e4m3") return NumberFormat::fp8;
  return std::nullopt;
}

ProfileKey key(ProfileFamily family, int variant, std::array<int, 4> shape) { return {family, variant, shape}; }

/// The place of a row, or nothing for one that no operator of the graph corresponds to.
using PlaceOf = std::optional<ProfilePlace> (*)(const Row& row);

std::optional<ProfilePlace> gemm_place(const Row& row) {
  const auto format = format_named(row.text("type"));
  if (!format) return std::nullopt;
  return ProfilePlace{key(ProfileFamily::gemm, static_cast<int>(*format), {row.integer("n"), row.integer("k")}), {row.number("m")}};
}

std::optional<ProfilePlace> grouped_gemm_place(const Row& row) {
  const auto format = format_named(row.text("type"));
  if (!format || row.text("routing") != "even") return std::nullopt;
  return ProfilePlace{key(ProfileFamily::grouped_gemm, static_cast<int>(*format), {row.integer("n"), row.integer("k")}),
                      {row.number("active"), row.number("rows")}};
}

std::optional<ProfilePlace> prefill_place(const Row& row) {
  if (row.number("sequences") != 1) return std::nullopt;
  const int width = row.integer("head_dim");
  return ProfilePlace{key(ProfileFamily::prefill_attention, 0, {row.integer("q_heads"), row.integer("kv_heads"), width, width}),
                      {row.number("new_tokens"), row.number("past_tokens")}};
}

std::optional<ProfilePlace> decode_place(const Row& row) {
  const int width = row.integer("head_dim");
  return ProfilePlace{key(ProfileFamily::decode_attention, 0, {row.integer("q_heads"), row.integer("kv_heads"), width, width}),
                      {row.number("batch"), row.number("context_mean")}};
}

std::optional<ProfilePlace> latent_place(const Row& row) {
  const int latent = row.integer("latent");
  return ProfilePlace{key(ProfileFamily::decode_attention, 0, {row.integer("heads"), 1, latent + row.integer("rope"), latent}),
                      {row.number("batch"), row.number("context_mean")}};
}

std::optional<ProfilePlace> layer_place(const Row& row) {
  const auto kind = kind_named(memory_operators, row.text("op"));
  if (!kind) return std::nullopt;
  return ProfilePlace{key(ProfileFamily::memory, static_cast<int>(*kind), {}), {row.number("width"), row.number("tokens")}};
}

std::optional<ProfilePlace> collective_place(const Row& row) {
  const auto kind = kind_named(collectives, row.text("op"));
  if (!kind) return std::nullopt;
  const CollectiveKernel kernel = row.text("impl") == "one_shot" ? CollectiveKernel::one_shot : CollectiveKernel::library;
  return ProfilePlace{key(ProfileFamily::collective, static_cast<int>(*kind), {row.integer("gpus"), static_cast<int>(kernel)}), {row.number("bytes")}};
}

/// Of which implementations of its operators a family has tables: of the one with the most measured rows, or of each.
enum class Implementations { main, each };

struct Family {
  std::string_view name;
  PlaceOf place;
  Implementations implementations = Implementations::main;
};
constexpr std::array families{Family{"gemm", gemm_place}, Family{"grouped_gemm", grouped_gemm_place},
                              Family{"attention_prefill", prefill_place}, Family{"attention_decode", decode_place},
                              Family{"mla_decode", latent_place}, Family{"layer", layer_place}};
constexpr Family collective_family{"collective", collective_place, Implementations::each};

/// The implementation with the most measured rows; "" when the file does not tell them apart.
std::string_view main_implementation(const CsvTable& table, Diagnostics& diagnostics) {
  std::map<std::string_view, int> rows;
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (const Row row(table, i, diagnostics); row.measured()) ++rows[row.text("impl")];
  const auto most = std::ranges::max_element(rows, {}, [](const auto& entry) { return entry.second; });
  return most == rows.end() ? std::string_view{} : most->first;
}

/// Reads one file's rows into `points`, uneven batches into `uneven`.
void read_points(const CsvTable& table, const Family& family, std::vector<ProfilePoint>& points, std::vector<UnevenPoint>* uneven,
                 Diagnostics& diagnostics) {
  const std::string_view implementation = main_implementation(table, diagnostics);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const Row row(table, i, diagnostics);
    if (!row.measured() || (family.implementations == Implementations::main && row.text("impl") != implementation)) continue;
    const std::optional<ProfilePlace> place = family.place(row);
    if (!place) continue;
    const ProfilePoint point{*place, row.seconds(), row.sm_clock_hz()};
    if (!(point.seconds > 0)) {
      diagnostics.error(table.where(i), "median_us", "a time is not above zero");
    } else if (!row.text("lengths").empty() && row.text("lengths") != "even") {
      if (uneven != nullptr) uneven->push_back({*place, row.number("context_max"), point.seconds});
    } else {
      points.push_back(point);
    }
  }
}

/// "collective.8gpus.csv" of a machine with eight; "collective.csv" in profiles of two GPUs from before their number was in the name.
bool holds_collectives(std::string_view file) { return file == "collective.csv" || (file.starts_with("collective.") && file.ends_with("gpus.csv")); }

/// The collectives of one machine.
struct CollectivePoints {
  double gpus = 0;
  std::vector<ProfilePoint> points;
};

/// An operation over some number of ranks that several machines measured counts as on the one with the fewest GPUs.
void add_collectives(std::vector<CollectivePoints> machines, std::vector<ProfilePoint>& points) {
  std::ranges::stable_sort(machines, {}, &CollectivePoints::gpus);
  std::set<ProfileKey> known;
  for (const CollectivePoints& machine : machines) {
    std::set<ProfileKey> here;
    for (const ProfilePoint& point : machine.points)
      if (!known.contains(point.place.key)) {
        points.push_back(point);
        here.insert(point.place.key);
      }
    known.merge(here);
  }
}

void read_energy(const CsvTable& table, OperatorProfile& profile, Diagnostics& diagnostics) {
  // Utilizations are of these peaks, which need not be the catalog's.
  const double flop_per_s = std::strtod(table.header("tensor_peak_flops").c_str(), nullptr);
  const double bytes_per_s = std::strtod(table.header("hbm_peak_bytes_per_s").c_str(), nullptr);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const Row row(table, i, diagnostics);
    if (!row.text("skip").empty() || row.text("mean_w").empty()) continue;
    if (!(row.number("mean_w") > 0)) diagnostics.error(table.where(i), "mean_w", "a power is not above zero");
    if (row.text("class") == "idle") {
      if (row.text("case") == "context") profile.idle_w = row.number("mean_w");
      continue;
    }
    profile.power.push_back({.busy = row.number_or("busy", 1), .flop_per_s = row.number_or("tensor_util", 0) * flop_per_s,
                             .bytes_per_s = row.number_or("hbm_util", 0) * bytes_per_s, .sm_clock_hz = row.sm_clock_hz(),
                             .watts = row.number("mean_w"), .whole_step = row.text("class") == "step" || row.text("class") == "interleaved"});
  }
}

std::optional<TransferMechanism> mechanism_named(std::string_view name) {
  if (name == "copy_engine") return TransferMechanism::copy_engine;
  if (name == "sm_store") return TransferMechanism::sm_stores;
  if (name == "tma_store") return TransferMechanism::tma;
  return std::nullopt;
}

/// Copies between two devices, one direction at a time, in the mode that their mechanism was measured in: copies by the engine
/// are launched one by one, stores by a graph (in older profiles one by one too).
void read_transfers(const CsvTable& table, OperatorProfile& profile, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const Row row(table, i, diagnostics);
    const auto mechanism = mechanism_named(row.text("mechanism"));
    if (!mechanism || row.text("direction") != "one" || !row.text("skip").empty() || row.text("median_us").empty()) continue;
    if (!(row.seconds() > 0 && row.number("bytes") > 0)) diagnostics.error(table.where(i), "median_us", "bytes and time are above zero");
    const TransferSeries series{*mechanism, row.integer("sms"), row.number("chunk_bytes"), {}};
    const auto same = [&](const TransferSeries& other) {
      return other.mechanism == series.mechanism && other.sms == series.sms && other.piece_bytes == series.piece_bytes;
    };
    auto found = std::ranges::find_if(profile.transfers, same);
    if (found == profile.transfers.end()) found = profile.transfers.insert(found, series);
    found->points.push_back({row.number("bytes"), row.seconds()});
  }
}

/// Over every card, the metered one included: power above idle of its loads relative to the metered card's.
double card_share(const CsvTable& cards, const CsvTable& energy, double idle_w, Diagnostics& diagnostics) {
  std::map<std::string_view, std::vector<double>> shares;
  for (std::size_t i = 0; i < cards.rows(); ++i) {
    const Row load(cards, i, diagnostics);
    bool found = false;
    for (std::size_t j = 0; j < energy.rows() && !found; ++j) {
      const Row metered(energy, j, diagnostics);
      found = metered.text("case") == load.text("case") && metered.text("class") == load.text("class") && metered.text("duty") == "1";
      if (found) shares[load.text("card")].push_back((load.number("mean_w") - idle_w) / (metered.number("mean_w") - idle_w));
    }
    if (!found) diagnostics.error(cards.where(i), "case", "the energy table has no such load");
  }
  double sum = 1;
  for (const auto& [card, of_card] : shares) {
    double of_loads = 0;
    for (const double share : of_card) of_loads += share;
    sum += of_loads / static_cast<double>(of_card.size());
  }
  return sum / static_cast<double>(shares.size() + 1);
}

void read_header(const CsvTable& table, OperatorProfile& profile, const std::string& file, Diagnostics& diagnostics) {
  if (table.header("rackwright-profile") != "1")
    diagnostics.error({file, 1, 1}, "rackwright-profile", fmt::format("version 1 is expected, not '{}'", table.header("rackwright-profile")));
  const std::string device = table.header("device");
  if (!profile.device.empty() && device != profile.device)
    diagnostics.error({file, 0, 0}, "device", fmt::format("this file is of '{}', others in the folder of '{}'", device, profile.device));
  profile.device = device;
  profile.source = fmt::format("driver {}, CUDA {}, {}", table.header("driver"), table.header("cuda_runtime"), table.header("date"));
  const std::string mhz = table.header("sm_clock_max_mhz");
  if (!mhz.empty()) profile.full_clock_hz = std::strtod(mhz.c_str(), nullptr) * 1e6;
  const std::string watts = table.header("power_limit_w");
  if (!watts.empty()) profile.limit_w = std::strtod(watts.c_str(), nullptr);
}

}  // namespace

OperatorProfile read_profile(const std::string& name, const ProfileFiles& files, Diagnostics& diagnostics) {
  OperatorProfile profile;
  const auto with_table = [&](const std::string& file, const auto& read) {
    const auto found = files.find(file);
    if (found == files.end()) return;
    const CsvTable table(name + '/' + file, found->second, diagnostics);
    read_header(table, profile, name + '/' + file, diagnostics);
    read(table);
  };
  for (const Family& family : families) {
    const std::string stem(family.name);
    with_table(stem + ".csv", [&](const CsvTable& t) { read_points(t, family, profile.points, &profile.uneven, diagnostics); });
    with_table(stem + ".check.csv", [&](const CsvTable& t) { read_points(t, family, profile.check, nullptr, diagnostics); });
  }
  std::vector<CollectivePoints> machines;
  for (const auto& [file, text] : files)
    if (holds_collectives(file))
      with_table(file, [&](const CsvTable& t) {
        CollectivePoints& one = machines.emplace_back(CollectivePoints{std::strtod(t.header("gpus").c_str(), nullptr), {}});
        read_points(t, collective_family, one.points, nullptr, diagnostics);
      });
  add_collectives(std::move(machines), profile.points);
  with_table("peer_copy.csv", [&](const CsvTable& t) { read_transfers(t, profile, diagnostics); });
  with_table("energy.csv", [&](const CsvTable& energy) {
    read_energy(energy, profile, diagnostics);
    with_table("cards.csv", [&](const CsvTable& cards) {
      if (profile.idle_w) profile.card_share = card_share(cards, energy, *profile.idle_w, diagnostics);
    });
  });
  if (profile.points.empty()) diagnostics.error({name, 0, 0}, "", "there are no measured operators");
  return profile;
}

OperatorProfile read_profile(const std::filesystem::path& folder, Diagnostics& diagnostics) {
  if (!std::filesystem::is_directory(folder)) throw EnvironmentError(fmt::format("there is no such folder: {}", folder.string()));
  ProfileFiles files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.emplace(entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {}));
    if (!in) throw EnvironmentError(fmt::format("cannot read a file: {}", entry.path().string()));
  }
  return read_profile(folder.string(), files, diagnostics);
}

}  // namespace rackwright::cost
