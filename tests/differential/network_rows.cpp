#include "tests/differential/network_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/cost/collective_cost.h"
#include "models/cost/collective_fit.h"
#include "models/cost/overlap.h"
#include "models/cost/transfer_mechanism.h"
#include "tests/differential/nccl_rows.h"

namespace rackwright::test {
namespace {

constexpr double MiB = 1024 * 1024;

/// DeepEP's low-latency kernels over more and more nodes of eight: two rows give the floor and the rate out of a node.
NetworkSeries deep_ep(std::string title, double bytes, const std::vector<double>& us) {
  const std::vector<int> ranks{8, 16, 32, 64, 128, 256};
  // NVLink of an H800 moves about 160 GB/s (DeepEP's README).
  const cost::ExchangeFit start{0, 8, 160e9, 0};
  const cost::ExchangeFit fit = cost::fit_exchange(start, {ranks[1], bytes, us[1] * 1e-6}, {ranks[5], bytes, us[5] * 1e-6});
  NetworkSeries series{std::move(title), "DeepEP, H800 with ConnectX-7, 128 tokens a rank, hidden 7168, top 8",
                       "t = floor + max(inside a node / 160 GB/s, outside / rate), floor and rate from two rows", 0.10, 0.10, {}};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    series.rows.push_back({fmt::format("EP {}", ranks[i]), us[i], fit.seconds(ranks[i], bytes) * 1e6, i == 1 || i == 5 ? RowUse::calibration : RowUse::check});
  return series;
}

/// The same within one node of H200, by tokens of a rank.
NetworkSeries deep_ep_node(std::string title, double token_bytes, const std::vector<double>& us) {
  const std::vector<double> tokens{1, 16, 64, 128, 256, 1024};
  const cost::ExchangeFit fit =
      cost::fit_exchange({0, 8, 1, 1}, {8, tokens.front() * token_bytes, us.front() * 1e-6}, {8, tokens.back() * token_bytes, us.back() * 1e-6});
  NetworkSeries series{std::move(title), "AIConfigurator, DeepEP low latency on one node of H200, hidden 7168, top 8",
                       "t = floor + bytes / rate, both from the smallest and the largest row", 0.10, 0.10, {}};
  for (std::size_t i = 0; i < tokens.size(); ++i)
    series.rows.push_back({fmt::format("{:g} tokens", tokens[i]), us[i], fit.seconds(8, tokens[i] * token_bytes) * 1e6,
                           i == 0 || i + 1 == tokens.size() ? RowUse::calibration : RowUse::check});
  return series;
}

/// TensorRT-LLM's all-to-all inside one domain of GB200: eight ranks are fitted, and carried to more of them as the program
/// does it (cost::collective_time), by what NCCL's constants say of both numbers.
NetworkSeries tensorrt_exchange(std::string title, const std::array<double, 2>& of_8, const std::array<double, 2>& of_32, double of_64) {
  const std::array<double, 2> bytes{128 * 8 * 7168 * 2.0, 1024 * 8 * 7168 * 2.0};
  const std::array<cost::SizedTime, 2> rows{{{bytes[0], of_8[0] * 1e-6}, {bytes[1], of_8[1] * 1e-6}}};
  cost::ScaleUpSpec spec = cost::scale_up_spec("nvlink5", 900e9);
  spec.fits = {{llm::OperatorKind::all_to_all, 8, cost::fit_collective(rows)}};
  NetworkSeries series{std::move(title), "AIConfigurator, TensorRT-LLM on GB200, BF16, hidden 7168, top 8",
                       "t = start + S / rate through both rows of eight ranks, times what NCCL's constants say of the other numbers", 0.10, 0.10, {}};
  const auto add = [&](int ranks, std::size_t size, double us, RowUse use) {
    llm::Operator op;
    op.kind = llm::OperatorKind::all_to_all;
    op.ranks = ranks;
    op.message_bytes = bytes[size];
    series.rows.push_back({fmt::format("EP {}, {} tokens", ranks, size == 0 ? 128 : 1024), us, cost::collective_seconds(spec, op) * 1e6, use});
  };
  for (std::size_t i = 0; i < 2; ++i) add(8, i, of_8[i], RowUse::calibration);
  for (std::size_t i = 0; i < 2; ++i) add(32, i, of_32[i], RowUse::check);
  add(64, 1, of_64, RowUse::check);
  return series;
}

void add_exchanges(std::vector<NetworkSeries>& all) {
  const double rows = 128.0 * 8 * 7168;
  all.push_back(deep_ep("Expert dispatch, FP8", rows * 1.03, {77, 118, 155, 173, 192, 194}));  // 3 % scales.
  all.push_back(deep_ep("Expert combine, BF16", rows * 2, {114, 195, 273, 314, 369, 360}));
  all.push_back(deep_ep_node("Expert dispatch in one node, FP8", 8 * 7168 * 1.03, {11.9, 14.2, 23.0, 35.1, 60.5, 211}));
  all.push_back(deep_ep_node("Expert combine in one node, BF16", 8 * 7168 * 2.0, {12.6, 18.3, 38.8, 67.7, 124.5, 481}));
  all.push_back(tensorrt_exchange("Expert dispatch in one domain of GB200", {34.7, 186}, {38.8, 212.5}, 222));
  all.push_back(tensorrt_exchange("Expert combine in one domain of GB200", {37.5, 215}, {41.3, 244.6}, 251));
}

/// Mooncake and vLLM, one prefill and one decode instance of eight H800 each, 200 GB/s of network cards.
NetworkSeries mooncake() {
  const std::vector<double> prompts{128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  const std::vector<double> ms{0.54, 0.61, 0.92, 1.50, 2.51, 4.75, 8.84, 16.43, 31.65};
  constexpr double link = 200e9;
  std::vector<cost::TransferPoint> points;
  // 36 layers, 8 KV heads of 128 values, keys and values of two bytes; about 2 MiB are sent beside them.
  for (std::size_t i = 0; i < prompts.size(); ++i) points.push_back({prompts[i] * 147'456 + 2 * MiB, ms[i] * 1e-3});
  const cost::TransferSpec rdma = cost::fit_transfer(cost::TransferMechanism::rdma, {points.front(), points.back()}, link);
  NetworkSeries series{"KV cache of Qwen3-8B over RDMA", "Mooncake with vLLM 0.11.2, 8 ConnectX-7 (PD-5)",
                       "t = start + bytes / (efficiency · link), both from the smallest and the largest row", 0.10, 0.10, {}};
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const cost::TransferTerms terms = cost::transfer_terms(rdma, points[i].bytes, link);
    series.rows.push_back({fmt::format("{:g} tokens", prompts[i]), ms[i] * 1e3, (terms.start_s + points[i].bytes / terms.bytes_per_s) * 1e6,
                           i == 0 || i + 1 == prompts.size() ? RowUse::calibration : RowUse::check});
  }
  return series;
}

/// ParallelKittens: a product and the reduce-scatter of its result in one kernel, 8 H100, M = N = 32768.
NetworkSeries parallel_kittens() {
  const std::vector<double> depth{512, 1024, 2048, 4096, 8192};
  const std::vector<double> product_ms{2.071, 2.918, 5.567, 11.78, 23.285};
  const std::vector<double> both_ms{6.483, 6.613, 7.531, 11.828, 25.325};
  // At K = 512 communication is what takes the time.
  const double link_s = both_ms.front() * 1e-3;
  NetworkSeries series{"Product and reduce-scatter in one kernel", "ParallelKittens, table 3, 8 H100, M = N = 32768",
                       "T = launch + max(compute, memory, communication) + sync; compute is the published product alone, communication is K = 512's",
                       0.15, 0.15, {}};
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const double t = cost::tile_seconds({0, product_ms[i] * 1e-3, 0, link_s}, 0, 0);
    series.rows.push_back({fmt::format("K = {:g}", depth[i]), both_ms[i] * 1e3, t * 1e6, i == 0 ? RowUse::calibration : RowUse::check});
  }
  return series;
}

std::vector<double> check_errors(const NetworkSeries& series) {
  std::vector<double> errors;
  for (const NetworkRow& row : series.rows)
    if (row.use == RowUse::check) errors.push_back(std::abs(row.error()));
  std::ranges::sort(errors);
  return errors;
}

}  // namespace

std::string size_label(double bytes) {
  constexpr double KiB = 1024;
  if (bytes >= 1024 * MiB) return fmt::format("{:g} GiB", bytes / (1024 * MiB));
  return bytes >= MiB ? fmt::format("{:g} MiB", bytes / MiB) : fmt::format("{:g} KiB", bytes / KiB);
}

double NetworkSeries::median() const {
  const std::vector<double> errors = check_errors(*this);
  return errors[(errors.size() - 1) / 2];
}

double NetworkSeries::worst() const { return check_errors(*this).back(); }

std::vector<NetworkSeries> network_series() {
  std::vector<NetworkSeries> all = nccl_series();
  add_exchanges(all);
  all.push_back(mooncake());
  all.push_back(parallel_kittens());
  return all;
}

namespace {

std::string left_out_table() {
  std::string page =
      "\nThe two figures that fits between nodes share (cost::NodeSwitch) were chosen on these series. What each of them has with\n"
      "figures chosen on all the others:\n\n"
      "| series | tolerance, share of E | median | worst | left out: median | worst |\n|---|---|---:|---:|---:|---:|\n";
  std::vector<double> with_all;
  std::vector<double> left_out;
  const auto add = [](const NetworkSeries& series, std::vector<double>& errors) {
    const std::vector<double> more = check_errors(series);
    errors.insert(errors.end(), more.begin(), more.end());
  };
  for (const LeftOut& one : left_out_series()) {
    page += fmt::format("| {} | {:.3f}, {:.3f} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", one.title, one.without.start_tolerance, one.without.size_share,
                        one.with_all.median() * 100, one.with_all.worst() * 100, one.left_out.median() * 100, one.left_out.worst() * 100);
    add(one.with_all, with_all);
    add(one.left_out, left_out);
  }
  std::ranges::sort(with_all);
  std::ranges::sort(left_out);
  return page + fmt::format("| all {} rows | | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", with_all.size(), with_all[with_all.size() / 2] * 100,
                            with_all.back() * 100, left_out[left_out.size() / 2] * 100, left_out.back() * 100);
}

}  // namespace

std::string network_section() {
  std::string page =
      "\n# Collectives, exchanges, transfers and overlap against published times\n\n"
      "Every model below has few figures, fitted to the rows marked *fitted*; the others are checks, whose errors count. Which rows\n"
      "are fitted follows from a rule, not from what they give. `tests/differential` holds the errors to the bounds.\n\n"
      "| series | check rows | median error | worst error |\n|---|---:|---:|---:|\n";
  const std::vector<NetworkSeries> all = network_series();
  for (const NetworkSeries& series : all)
    page += fmt::format("| {} | {} | {:.1f} % | {:.1f} % |\n", series.title, check_errors(series).size(), series.median() * 100, series.worst() * 100);
  page += fmt::format("\nA product whose BF16 result is reduce-scattered hides it from K = {:.0f} on at 989 TFLOP/s and 450 GB/s; ParallelKittens states 2,198.\n",
                      cost::hiding_depth(2, 989e12, 450e9));
  page += left_out_table();
  for (const NetworkSeries& series : all) {
    page += fmt::format("\n## {}\n\n{}. {}.\n\n| row | measured | modelled | error |\n|---|---:|---:|---:|\n", series.title, series.source, series.method);
    for (const NetworkRow& row : series.rows) {
      const std::string error = row.use == RowUse::calibration ? "*fitted*" : fmt::format("{:+.1f} %", row.error() * 100);
      page += fmt::format("| {} | {:.1f} us | {:.1f} us | {} |\n", row.label, row.measured_us, row.modelled_us, error);
    }
  }
  return page;
}

}  // namespace rackwright::test
