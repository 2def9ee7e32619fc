#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/cost/step_cost.h"

namespace rackwright::cost {

/// What moves the bytes of a transfer.
enum class TransferMechanism {
  copy_engine,  ///< A DMA engine of the device, started by its host.
  sm_stores,    ///< Threads of the device load here and store there, word by word.
  tma,          ///< Bulk copies that threads of the device start (Hopper and later).
  rdma,         ///< The network card reads and writes device memory.
  tcp,          ///< The host's network stack, through host memory.
};
inline constexpr int transfer_mechanism_count = 5;

/// As a scenario writes it: "copy-engine".
std::string_view to_string(TransferMechanism mechanism);
std::optional<TransferMechanism> parse_transfer_mechanism(std::string_view name);

/// Whether it works between devices of one scale-up domain or node; the others work between nodes.
bool is_device_initiated(TransferMechanism mechanism);

/// One measured transfer between two devices that do nothing else.
struct TransferPoint {
  double bytes = 0;
  double seconds = 0;
};

/// How one mechanism does on one kind of device and link.
///
///   t(S) = start + S / (fraction · link)          without a curve
///   t(S) from the curve, in the logarithms of both; beyond its largest S at the rate of its last two points
///
/// A curve of another link counts in proportion to the links, its start as it is.
struct TransferSpec {
  TransferMechanism mechanism = TransferMechanism::rdma;
  double start_s = 0;                 ///< From the request until bytes move, the path's own latency not counted.
  double link_fraction = 1;           ///< Of the link that a long transfer reaches.
  double node_bytes_per_s = 0;        ///< Most that all transfers of one node reach together, per direction; 0: none.
  int sms = 0;                        ///< Of each device, taken from compute while it runs.
  std::vector<TransferPoint> curve;   ///< Ascending in bytes; empty or at least two.
  double curve_bytes_per_s = 0;       ///< The link on which it was taken.
  Provenance provenance = Provenance::datasheet;
};

/// Published figures, where nothing was measured on the device:
///  - copy_engine, tma, sm_stores: 82, 78 and 76 % of an H100's NVLink and 81, 74 and 70 % of a B200's for 1 GB, 15 SMs for
///    TMA and 76 for stores (ParallelKittens, arXiv:2511.13940, table 1 and section 3). Starts: 2.8 us, copies between two
///    A100 over an NVSwitch (p2pBandwidthLatencyTest); 1 us, a store with its flag over NVLink (secondary sources, 1 to 2 us);
///  - rdma: 87 of 100 GB/s over four cards of 200 Gb/s (Mooncake, FAST'25); start 5 us (secondary sources: 1 to 5 us);
///  - tcp: 2.4 times less than that, and 41 GB/s a node whatever the cards (190 / 4.6, the same table); start 30 us (from
///    memory).
/// `technology` is the device's scale-up link: "nvlink5" takes the B200's figures.
TransferSpec published_transfer(TransferMechanism mechanism, std::string_view technology);

/// What the flow of a transfer is given, so that an undisturbed one takes start + bytes / rate = t(bytes).
struct TransferTerms {
  double start_s = 0;
  double bytes_per_s = 0;
};
/// `bytes` of one pair of devices over a link of `link_bytes_per_s`.
TransferTerms transfer_terms(const TransferSpec& spec, double bytes, double link_bytes_per_s);

/// Measured curves of one device by mechanism; absent where its profile has none. For stores and TMA the fewest SMs count
/// whose longest transfer is within 5 % of the best.
using TransferCurves = std::array<std::optional<TransferSpec>, transfer_mechanism_count>;

/// Rows of one series: one mechanism with one number of SMs and one size of its pieces, in one direction.
struct TransferSeries {
  TransferMechanism mechanism = TransferMechanism::copy_engine;
  int sms = 0;
  double piece_bytes = 0;
  std::vector<TransferPoint> points;
};
TransferCurves choose_curves(std::vector<TransferSeries> series, double link_bytes_per_s);

/// start and link_fraction that meet rows best: the line t = start + S / rate with the least sum of squared relative errors
/// (through both, when there are two); start is not negative. At least two rows of different sizes.
TransferSpec fit_transfer(TransferMechanism mechanism, std::vector<TransferPoint> rows, double link_bytes_per_s);

}  // namespace rackwright::cost
