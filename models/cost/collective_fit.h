#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace rackwright::cost {

/// One timed collective: the size of one rank's whole buffer.
struct SizedTime {
  double bytes = 0;
  double seconds = 0;
};

/// What a collective's ranks are joined by; it decides how the time of a buffer grows from the start's to the bytes'.
///  domain  one scale-up domain, or one node
///  nodes   several, over network cards
enum class CollectiveSpan { domain, nodes };

/// Inside a domain t(S) = start + S / rate + ramp · √S, between nodes t(S) = start + S / rate + switch · (1 − exp(−(S / E)²)),
/// no term negative.
///
/// A buffer that passes h stages in k pieces takes t = (h − 1 + k) (a + S / (k B)); the best k is √((h − 1) S / (a B)), and
/// then t = (h − 1) a + S / B + 2 √((h − 1) a S / B). Over network cards what counts more is that a library starts with
/// protocols of little start and little rate (LL) and goes over to one of much of both (Simple): from about E on each
/// collective has the greater start. Not in it: the jumps themselves, and algorithms that take over in several stages.
struct CollectiveFit {
  double start_s = 0;
  double s_per_byte = 0;
  double s_per_root_byte = 0;
  double switch_s = 0;  ///< Added to the start where large buffers go another way.
  double switch_bytes = std::numeric_limits<double>::infinity();  ///< E.

  double seconds(double bytes) const;
};

/// What all fits between nodes share: what makes the worst error over the seventeen series of docs/validation.md least. What
/// each of them would have had without its part in that choice stands there too.
struct NodeSwitch {
  double start_tolerance = 1.3;  ///< Times of buffers that are only start, over the quickest.
  double size_share = 0.625;      ///< E over the size that start and rate alone miss most.
};

/// Meets the rows best: least sum of squared relative errors with every term at least 0; through all of them when there are
/// three and that is possible. At least one row, all above zero.
CollectiveFit fit_collective(std::span<const SizedTime> rows, CollectiveSpan span = CollectiveSpan::domain, const NodeSwitch& shared = {});

/// Which rows to fit to, when three are to stand for all; indices, ascending. The largest, and
///  - inside a domain: the smallest, and the one nearest to sixteen times the size at which the start takes as long as the
///    bytes, where neither of the two ends says much;
///  - between nodes: the last that takes at most 1.3 times the quickest, since small buffers scatter there, and the one that
///    start and rate through those two miss by the largest factor: there the library has gone over to its other protocol.
std::vector<std::size_t> calibration_rows(std::span<const SizedTime> rows, CollectiveSpan span = CollectiveSpan::domain, const NodeSwitch& shared = {});

/// One all-to-all of tokens to experts (dispatch) or back (combine).
struct ExchangeRow {
  int ranks = 0;
  double bytes = 0;  ///< That one rank sends, to itself included.
  double seconds = 0;
};

/// t = floor + max(local / B_local, remote / B_remote): each rank sends the same to every rank, those of its domain over
/// the scale-up link and the others over its network card, both at once (DeepEP's low-latency kernels).
struct ExchangeFit {
  double floor_s = 0;
  int domain_ranks = 8;           ///< Ranks of one scale-up domain.
  double local_bytes_per_s = 0;   ///< Into the domain, of one rank.
  double remote_bytes_per_s = 0;  ///< Out of it; unused while the domain holds all ranks.

  double seconds(int ranks, double bytes) const;
  /// Of a rank that sends `remote` bytes out, once for each domain, while `local` bytes pass inside.
  double forwarded_seconds(double local, double remote) const;
};

/// Floor and remote rate through two rows that leave the domain, or floor and local rate through two of different sizes
/// that stay in it. `start` gives the rest.
ExchangeFit fit_exchange(const ExchangeFit& start, const ExchangeRow& a, const ExchangeRow& b);

}  // namespace rackwright::cost
