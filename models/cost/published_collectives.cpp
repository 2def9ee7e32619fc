#include "models/cost/published_collectives.h"

#include <array>

namespace rackwright::cost {
namespace {

using K = llm::OperatorKind;

// Bytes of a rank's buffer, seconds.
constexpr std::array published{
    PublishedCollective{"nvlink4", K::all_reduce, 8, 450e9, {{{1024, 15.6e-6}, {33554432, 199.8e-6}, {536870912, 2111.1e-6}}}},
    PublishedCollective{"nvlink4", K::all_reduce, 4, 450e9, {{{1024, 9.3e-6}, {33554432, 175.7e-6}, {536870912, 2299.7e-6}}}},
    PublishedCollective{"nvlink4", K::all_reduce, 2, 450e9, {{{1024, 5.9e-6}, {33554432, 143.6e-6}, {536870912, 1686.4e-6}}}},
    PublishedCollective{"nvlink4", K::all_gather, 8, 450e9, {{{1024, 10.4e-6}, {33554432, 125.5e-6}, {536870912, 1401.5e-6}}}},
    PublishedCollective{"nvlink4", K::reduce_scatter, 8, 450e9, {{{1024, 10.3e-6}, {33554432, 111.3e-6}, {536870912, 1399.4e-6}}}},
    PublishedCollective{"nvlink4", K::all_to_all, 8, 450e9, {{{1024, 8.1e-6}, {33554432, 124.9e-6}, {536870912, 1490.4e-6}}}},
    PublishedCollective{"nvlink5", K::all_reduce, 8, 900e9, {{{1024, 25.2e-6}, {134217728, 398.4e-6}, {536870912, 1334.6e-6}}}},
    PublishedCollective{"nvlink3", K::all_reduce, 8, 300e9, {{{1024, 21.8e-6}, {33554432, 367e-6}, {536870912, 4225.9e-6}}}},
    PublishedCollective{"pcie4", K::all_reduce, 2, 31e9, {{{1024, 6e-6}, {2097152, 120.7e-6}, {536870912, 26700e-6}}}},
};

}  // namespace

std::span<const PublishedCollective> published_collectives() { return published; }

}  // namespace rackwright::cost
